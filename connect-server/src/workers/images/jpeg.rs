//! A check of a JPEG's segments before it is decoded.
//! The decoder fills up a truncated file with grey, and has no limit on the memory for coefficients.

use std::ops::RangeInclusive;

/// The result of the check of a JPEG's segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segments {
    /// The memory for the coefficients of the whole image, in bytes.
    /// The decoder keeps them all until the last scan is read when the file is progressive, or when its
    /// first scan does not hold all components. 0 for other files.
    pub(super) coefficients: u64,
}

/// The parts of a frame's header with an influence on memory.
struct Frame {
    is_progressive: bool,
    components: u8,
    /// The memory for all coefficients, in bytes.
    memory: u64,
}

/// The reason why a JPEG is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It ends before its end marker, or has several frames.
    Damaged,
    /// It is lossless, hierarchical or arithmetically coded.
    Uncommon,
}

const END_OF_IMAGE: u8 = 0xd9;
const START_OF_SCAN: u8 = 0xda;
const PROGRESSIVE: u8 = 0xc2;
const COMMON_FRAMES: RangeInclusive<u8> = 0xc0..=PROGRESSIVE;
/// The markers of all frames, common or not.
/// `NO_FRAMES` lists the other markers in this range.
const FRAMES: RangeInclusive<u8> = 0xc0..=0xcf;
const NO_FRAMES: [u8; 3] = [0xc4, 0xc8, 0xcc];

/// Walks over the segments of a JPEG up to its end marker.
pub(super) fn walk(file: &[u8]) -> Result<Segments, Unreadable> {
    let mut frame: Option<Frame> = None;
    let mut segments = None;
    let mut rest = file;
    loop {
        // Between segments there is nothing or the data of a scan.
        // In this data, 0 follows this byte unless a marker begins.
        let marker = rest.iter().position(|byte| *byte == 0xff);
        rest = &rest[marker.ok_or(Unreadable::Damaged)? + 1..];
        let Some((&marker, after)) = rest.split_first() else {
            return Err(Unreadable::Damaged);
        };
        match marker {
            // The next byte may be the marker.
            0xff => continue,
            END_OF_IMAGE => return segments.ok_or(Unreadable::Damaged),
            // Markers without a segment.
            0x00 | 0x01 | 0xd0..=0xd8 => rest = after,
            _ => {
                let length = after
                    .first_chunk()
                    .map(|length| u16::from_be_bytes(*length));
                let segment = length.and_then(|length| after.get(2..usize::from(length)));
                let segment = segment.ok_or(Unreadable::Damaged)?;
                rest = &after[2 + segment.len()..];
                if marker == START_OF_SCAN && segments.is_none() {
                    segments = Some(at_first_scan(frame.as_ref(), segment)?);
                }
                if !FRAMES.contains(&marker) || NO_FRAMES.contains(&marker) {
                    continue;
                }
                if !COMMON_FRAMES.contains(&marker) {
                    return Err(Unreadable::Uncommon);
                }
                let read = Frame::read(marker, segment).ok_or(Unreadable::Damaged)?;
                if frame.replace(read).is_some() {
                    return Err(Unreadable::Damaged);
                }
            }
        }
    }
}

/// Calculates the memory from the header of the first scan.
fn at_first_scan(frame: Option<&Frame>, scan: &[u8]) -> Result<Segments, Unreadable> {
    let (Some(frame), Some(components)) = (frame, scan.first()) else {
        return Err(Unreadable::Damaged);
    };
    let keeps_all = frame.is_progressive || *components != frame.components;
    let coefficients = if keeps_all { frame.memory } else { 0 };
    Ok(Segments { coefficients })
}

impl Frame {
    /// Reads the header of a frame. A coefficient takes two bytes.
    fn read(marker: u8, header: &[u8]) -> Option<Self> {
        let [
            _,
            height,
            height_low,
            width,
            width_low,
            count,
            components @ ..,
        ] = header
        else {
            return None;
        };
        let height = u64::from(u16::from_be_bytes([*height, *height_low]));
        let width = u64::from(u16::from_be_bytes([*width, *width_low]));
        let samplings = components
            .as_chunks::<3>()
            .0
            .iter()
            .map(|[_, sampling, _]| {
                let (across, down) = (sampling >> 4, sampling & 0xf);
                (u64::from(across), u64::from(down))
            });
        let across = samplings.clone().map(|(across, _)| across).max()?.max(1);
        let down = samplings.clone().map(|(_, down)| down).max()?.max(1);
        let blocks: u64 = samplings.map(|(across, down)| across * down).sum();
        Some(Self {
            is_progressive: marker == PROGRESSIVE,
            components: *count,
            memory: width.div_ceil(8 * across) * height.div_ceil(8 * down) * blocks * 64 * 2,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this frame: 1000 x 600 pixels in one scan.
    /// Colours have half the resolution.
    fn file(frame: u8) -> Vec<u8> {
        file_in_scans(frame, &[3])
    }

    /// The same with one scan for each of these numbers of components.
    fn file_in_scans(frame: u8, scans: &[u8]) -> Vec<u8> {
        let mut file = b"\xff\xd8".to_vec();
        // A thumbnail in the metadata has markers of its own.
        file.extend(b"\xff\xe1\0\x0aExif\xff\xd8\xff\xd9");
        file.extend([
            0xff,
            0xff,
            frame,
            0,
            17,
            8,
            600_u16.to_be_bytes()[0],
            600_u16.to_be_bytes()[1],
        ]);
        file.extend(1000_u16.to_be_bytes());
        file.extend([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
        for components in scans {
            file.extend(b"\xff\xda\0\x04");
            file.extend([*components, 1]);
            file.extend(b"scan\xff\0data\xff\xd0more");
        }
        file.extend(b"\xff\xd9");
        file
    }

    #[test]
    fn coefficients_are_kept_unless_one_scan_holds_them_all() {
        // 63 by 38 units of six blocks.
        const ALL: u64 = 63 * 38 * 6 * 64 * 2;
        for (frame, scans, expected) in [
            (0xc0, &[3][..], 0),
            (0xc1, &[3], 0),
            // Only the first scan counts.
            (0xc0, &[3, 1], 0),
            (0xc0, &[1, 1, 1], ALL),
            (0xc0, &[2, 1], ALL),
            (0xc1, &[1, 2], ALL),
            (0xc2, &[3], ALL),
            (0xc2, &[1, 3], ALL),
        ] {
            let segments = walk(&file_in_scans(frame, scans)).unwrap();
            assert_eq!(segments.coefficients, expected, "{frame:x} in {scans:?}");
        }
    }

    #[test]
    fn a_scan_needs_a_frame_before_it_and_a_frame_a_scan() {
        assert_eq!(walk(&file_in_scans(0xc0, &[])), Err(Unreadable::Damaged));
        let early = b"\xff\xd8\xff\xda\0\x04\x03\x01scan";
        let file = [&early[..], &file(0xc0)[2..]].concat();
        assert_eq!(walk(&file), Err(Unreadable::Damaged));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_damaged() {
        let file = file(0xc0);
        for end in 0..file.len() {
            assert_eq!(walk(&file[..end]), Err(Unreadable::Damaged), "at {end}");
        }
        let mut trailed = file.clone();
        trailed.extend(b"\xff\xda what cameras append");
        assert!(walk(&trailed).is_ok());
    }

    #[test]
    fn uncommon_and_double_frames_are_refused() {
        for frame in [0xc3, 0xc5, 0xc9, 0xcf] {
            assert_eq!(walk(&file(frame)), Err(Unreadable::Uncommon));
        }
        let frame = &file(0xc0)[14..34];
        let mut double = file(0xc2);
        double.splice(14..14, frame.iter().copied());
        assert_eq!(walk(&double), Err(Unreadable::Damaged));
    }
}
