#!/usr/bin/env python3
"""Writes ../vectors.json: cases that any verifier of the signature has to agree with.

The outcome of every case is stated here by hand, and the signatures come from Python's hmac, so
the file owes nothing to the verifier that it tests. Run without arguments it rewrites the file;
with --check it only says whether the file is what it would write.
"""

import base64
import hashlib
import hmac
import itertools
import json
import pathlib
import sys

T = 1700000000
SECRET = "whsec_test_secret"
OLD = "whsec_" + ("Old" * 15)[:43]
NEW = "whsec_" + ("New" * 15)[:43]
OTHER = "whsec_" + ("Other" * 9)[:43]
BODY = {"text": '{"id":"evt_1"}'}
BIG = {"repeat": "a", "times": 1048576}

cases = []


def raw(body):
    if "text" in body:
        return body["text"].encode()
    if "hex" in body:
        return bytes.fromhex(body["hex"])
    return body["repeat"].encode() * body["times"]


def sig(secret=SECRET, t=T, body=BODY, dot=b"."):
    key = secret if isinstance(secret, bytes) else secret.encode()
    return hmac.new(key, str(t).encode() + dot + raw(body), hashlib.sha256).hexdigest()


def case(name, reason, header, status, code, *, secrets=(SECRET,), body=BODY, now=T, secret=None,
         tolerance=300, decided=False):
    entry = {"name": name, "reason": reason, "decided": decided, "secrets": list(secrets)}
    if isinstance(header, bytes):
        entry["header_hex"] = header.hex()
    else:
        entry["header"] = header
    entry |= {"body": body, "now": now, "tolerance": tolerance,
              "expect": {"status": status, "code": code, "secret": secret}}
    cases.append(entry)


def accept(name, reason, header, secret=0, **more):
    case(name, reason, header, 200, None, secret=secret, **more)


def malformed(name, reason, header, code, **more):
    case(name, reason, header, 400, code, **more)


def refuse(name, reason, header, code="no_match", **more):
    case(name, reason, header, 401, code, **more)


GOOD = sig()
assert GOOD == "248a374f50f943a28b0f6ab50faf9a7e7e29b710fa26df9fb1618b9bf8ea9c9a"
WRONG = sig(OTHER)
ZERO = "0" * 64
PLAIN = f"t={T},v1={GOOD}"

# --- The plain case -------------------------------------------------------------------------------
accept("plain", "The vector that all implementations agree on.", PLAIN)
accept("v1 before t", "The order of the parts has no meaning.", f"v1={GOOD},t={T}")
refuse("other signature", "Signed with a secret that the receiver does not have.", f"t={T},v1={WRONG}")
refuse("all zero signature", "64 digits that are no signature of anything.", f"t={T},v1={ZERO}")

# --- Several v1, in all orders --------------------------------------------------------------------
A, B, C = sig(OTHER), sig("whsec_third"), GOOD
for order in itertools.permutations([("other", A), ("third", B), ("right", C)]):
    accept("three v1: " + ", ".join(n for n, _ in order), "Any v1 may match, wherever it stands.",
           f"t={T}," + ",".join(f"v1={s}" for _, s in order))
for order in itertools.permutations([("t", f"t={T}"), ("wrong", f"v1={A}"), ("right", f"v1={C}")]):
    accept("t among v1: " + ", ".join(n for n, _ in order), "t may stand before, between or after the v1.",
           ",".join(p for _, p in order))
for order in itertools.permutations([("other", A), ("third", B), ("zero", ZERO)]):
    refuse("three wrong v1: " + ", ".join(n for n, _ in order), "None of several v1 matches, in any order.",
           f"t={T}," + ",".join(f"v1={s}" for _, s in order))
accept("same v1 twice", "A repeated v1 is allowed, unlike a repeated t.", f"t={T},v1={GOOD},v1={GOOD}")
refuse("same wrong v1 twice", "Repeating a wrong signature does not make it right.", f"t={T},v1={WRONG},v1={WRONG}")
for count in (15, 16, 17, 33, 100):
    for place in ("first", "last"):
        wrong = [f"v1={i:064x}" for i in range(count - 1)]
        parts = [f"v1={GOOD}"] + wrong if place == "first" else wrong + [f"v1={GOOD}"]
        accept(f"{count} v1, the {place} matches", "The number of v1 is not limited: all of them count.",
               f"t={T}," + ",".join(parts))
    refuse(f"{count} v1, none matches", "Many guesses are no better than one.",
           f"t={T}," + ",".join(f"v1={i:064x}" for i in range(count)))

# --- Unknown parts --------------------------------------------------------------------------------
for part, why in [
    ("v0=" + GOOD, "an older scheme"), ("v2=" + GOOD, "a scheme to come"), ("nonce=abc", "another name"),
    ("x=", "an unknown name without a value"), ("v10=" + GOOD, "a name that only begins with v1"),
    ("tt=1", "a name that only begins with t"), ("at=1", "a name that only ends in t"),
    ("T=1", "names are case-sensitive, so T is not t"), ("V1=" + ZERO, "names are case-sensitive, so V1 is not v1"),
    ("=", "an empty name with an empty value"), ("=1", "an empty name"), ("x=a=b", "an = in an unknown value"),
    ("x y=z", "a space within an unknown name"),
]:
    for where, header in [("before", f"{part},{PLAIN}"), ("between", f"t={T},{part},v1={GOOD}"), ("after", f"{PLAIN},{part}")]:
        accept(f"unknown part {where}: {part[:12]}", f"Unknown parts are ignored wherever they stand: {why}.", header)
refuse("right signature under v0 only, wrong under v1", "Only v1 counts: v0 is ignored even if it would match.",
       f"t={T},v0={GOOD},v1={WRONG}")
malformed("right signature under v0 only", "Without any v1 there is nothing to check.", f"t={T},v0={GOOD}", "missing_signature")
malformed("right signature under v2 only", "Without any v1 there is nothing to check.", f"t={T},v2={GOOD}", "missing_signature")
malformed("right signature under V1 only", "V1 is not v1.", f"t={T},V1={GOOD}", "missing_signature", decided=True)
malformed("right signature under v10 only", "v10 is not v1.", f"t={T},v10={GOOD}", "missing_signature")
malformed("right signature under v only", "v is not v1.", f"t={T},v={GOOD}", "missing_signature")
malformed("time under T only", "T is not t.", f"T={T},v1={GOOD}", "missing_timestamp", decided=True)
malformed("time under ts only", "ts is not t.", f"ts={T},v1={GOOD}", "missing_timestamp")

# --- Parts without = ------------------------------------------------------------------------------
for part, why in [("foo", "a word"), ("", "an empty part"), ("t", "t alone is not t="), ("v1", "v1 alone is not v1="),
                  (GOOD, "a signature without a name"), ("v1:" + ZERO, "a colon is no =")]:
    for where, header in [("before", f"{part},{PLAIN}"), ("between", f"t={T},{part},v1={GOOD}"), ("after", f"{PLAIN},{part}")]:
        accept(f"part without = {where}: {part[:8] or 'empty'}", f"A part without = is an unknown part: {why}.", header)
malformed("v1 without =, nothing else", "v1 alone names no signature.", f"t={T},v1", "missing_signature")
malformed("bare signature", "A signature without v1= is an unknown part.", f"t={T},{GOOD}", "missing_signature")
malformed("t without =, nothing else", "t alone names no time.", f"t,v1={GOOD}", "missing_timestamp")
malformed("bare time", "A number without t= is an unknown part.", f"{T},v1={GOOD}", "missing_timestamp")
malformed("signature alone", "Neither t nor v1: the time is asked for first.", GOOD, "missing_timestamp")
malformed("semicolons for commas", "The only separator is the comma, so all of it is the value of t.",
          f"t={T};v1={GOOD}", "invalid_timestamp")
malformed("colons for =", "A colon does not part name and value.", f"t:{T},v1:{GOOD}", "missing_timestamp")
malformed("ampersand for comma", "The only separator is the comma.", f"t={T}&v1={GOOD}", "invalid_timestamp")

# --- = in values ----------------------------------------------------------------------------------
refuse("= after the signature", "Split on the first = only: the value is 65 characters long.", f"t={T},v1={GOOD}=")
refuse("= before the signature", "The value begins with =.", f"t={T},v1=={GOOD}")
refuse("= in place of a digit", "The value holds a character that is no digit.", f"t={T},v1={GOOD[:63]}=")
refuse("wrong=right in one v1", "What follows a second = is part of the value, not another try.", f"t={T},v1={ZERO}={GOOD}")
refuse("right=wrong in one v1", "What follows a second = is part of the value and not cut off.", f"t={T},v1={GOOD}={ZERO}")
refuse("v1=v1=right", "The first = ends the name, the rest is the value.", f"t={T},v1=v1={GOOD}")
malformed("= after the time", "The value of t is not a number.", f"t={T}=,v1={GOOD}", "invalid_timestamp")
malformed("= before the time", "The value of t is not a number.", f"t=={T},v1={GOOD}", "invalid_timestamp")
malformed("t=t=", "The first = ends the name, the rest is the value.", f"t=t={T},v1={GOOD}", "invalid_timestamp")
accept("bad v1 with =, then a good one", "A v1 that cannot match does not spoil the others.", f"t={T},v1=a=b,v1={GOOD}")

# --- The digits of a signature --------------------------------------------------------------------
STRICT_HEX = "The service writes lower-case digits, so no other spelling is taken."
refuse("upper-case signature", STRICT_HEX, f"t={T},v1={GOOD.upper()}", decided=True)
refuse("one upper-case digit", STRICT_HEX, f"t={T},v1={GOOD.replace('f', 'F', 1)}", decided=True)
refuse("signature with 0x", "66 characters: " + STRICT_HEX, f"t={T},v1=0x{GOOD}", decided=True)
refuse("signature with colons", STRICT_HEX, f"t={T},v1=" + ":".join(GOOD[i:i + 2] for i in range(0, 64, 2)), decided=True)
refuse("base64 instead of hex", "The right 32 bytes in base64 are not the signature.",
       f"t={T},v1=JIo3T1D5Q6KLD2q1D6+afn4ptxD6Jt+fsWGLm/jqnJo=")
refuse("prefixed with sha256", "The value holds the digits alone.", f"t={T},v1=sha256={GOOD}")
refuse("reversed", "The right digits in the wrong order.", f"t={T},v1={GOOD[::-1]}")
refuse("bytes reversed", "The right bytes in the wrong order.", f"t={T},v1={bytes.fromhex(GOOD)[::-1].hex()}")
refuse("64 letters z", "The right length, but no digits.", f"t={T},v1={'z' * 64}")
refuse("quoted signature", "Quotes are part of the value.", f't={T},v1="{GOOD}"')
for place in (0, 1, 31, 32, 62, 63):
    digit = format(int(GOOD[place], 16) ^ 1, "x")
    refuse(f"digit {place} off by one bit", "Every digit counts, wherever it stands.", f"t={T},v1={GOOD[:place]}{digit}{GOOD[place + 1:]}")

# --- Wrong lengths --------------------------------------------------------------------------------
for length in (1, 2, 8, 16, 31, 32, 48, 62, 63):
    refuse(f"first {length} digits only", "The beginning of the right signature is not the signature.", f"t={T},v1={GOOD[:length]}")
for extra in ("0", "00", "9a", GOOD):
    refuse(f"{len(extra)} digits too many: {extra[:4]}", "The right signature with more after it is not the signature.",
           f"t={T},v1={GOOD}{extra}")
refuse("last 63 digits only", "The end of the right signature is not the signature.", f"t={T},v1={GOOD[1:]}")
refuse("a zero in front", "Leading zeros are not cut off.", f"t={T},v1=0{GOOD}")
refuse("SHA-1 length", "40 digits, as many as another hash has.", f"t={T},v1={'a' * 40}")
refuse("SHA-512 length", "128 digits, as many as another hash has.", f"t={T},v1={'a' * 128}")
refuse("10 000 digits", "A long value is only a wrong one.", f"t={T},v1={'a' * 10000}")
accept("short v1, then the right one", "A v1 of the wrong length does not spoil the others.", f"t={T},v1={GOOD[:10]},v1={GOOD}")
accept("right v1, then a short one", "A v1 of the wrong length does not spoil the others.", f"t={T},v1={GOOD},v1={GOOD[:10]}")
accept("20 short v1, then the right one", "Values that cannot match use up no room.",
       f"t={T}," + "v1=ab," * 20 + f"v1={GOOD}")

# --- Empty values ---------------------------------------------------------------------------------
refuse("empty v1", "A comparison up to the shorter length would take it: RUSTSEC-2024-0010.", f"t={T},v1=")
refuse("three empty v1", "Nothing matches nothing.", f"t={T},v1=,v1=,v1=")
accept("empty v1, then the right one", "An empty v1 does not spoil the others.", f"t={T},v1=,v1={GOOD}")
accept("right v1, then an empty one", "An empty v1 does not spoil the others.", f"t={T},v1={GOOD},v1=")
malformed("empty t", "No digits are no number.", f"t=,v1={GOOD}", "invalid_timestamp")
malformed("empty t and empty v1", "The time is looked at first.", "t=,v1=", "invalid_timestamp")
malformed("empty header", "An empty header is a missing one.", "", "missing_header")
malformed("no header", "The request has no such header.", None, "missing_header")
malformed("one comma", "Two empty parts name no time.", ",", "missing_timestamp")
malformed("commas only", "Empty parts name no time.", "," * 50, "missing_timestamp")
malformed("one =", "An empty name with an empty value.", "=", "missing_timestamp")
malformed("one space", "The space is a part without =.", " ", "missing_timestamp")
malformed("a word", "One part without =.", "hello", "missing_timestamp")
malformed("t only", "Without a v1 there is nothing to check.", f"t={T}", "missing_signature")
malformed("v1 only", "Without a time it is not known what was signed.", f"v1={GOOD}", "missing_timestamp")
accept("empty parts all over", "Empty parts are ignored.", f",,t={T},,,v1={GOOD},,")

# --- Repeated t -----------------------------------------------------------------------------------
TWICE = "Two times in one header: it is not clear which was signed, so neither counts."
for name, header in [
    ("same t twice", f"t={T},t={T},v1={GOOD}"), ("right t, then another", f"t={T},t={T + 1},v1={GOOD}"),
    ("another t, then the right one", f"t={T - 1},t={T},v1={GOOD}"), ("t on both sides", f"t={T},v1={GOOD},t={T}"),
    ("right t, then an empty one", f"t={T},t=,v1={GOOD}"), ("empty t, then the right one", f"t=,t={T},v1={GOOD}"),
    ("right t, then a word", f"t={T},t=now,v1={GOOD}"), ("three t", f"t={T},t={T},t={T},v1={GOOD}"),
    ("old t, then a fresh one", f"t={T - 9999},t={T},v1={sig(t=T - 9999)}"),
]:
    malformed(name, TWICE, header, "repeated_timestamp", decided=True)
malformed("repeated t and no v1", "The time is looked at first.", f"t={T},t={T}", "repeated_timestamp", decided=True)

# --- How a time is written ------------------------------------------------------------------------
SPELLING = "The service writes plain digits, so each time has one spelling."
for name, text in [
    ("plus sign", f"+{T}"), ("minus sign", f"-{T}"), ("minus zero", "-0"), ("smallest 64-bit number", "-9223372036854775808"),
    ("space before", f" {T}"), ("space after", f"{T} "), ("space within", "1700 000000"), ("tab before", f"\t{T}"),
    ("leading zero", f"0{T}"), ("many leading zeros", f"00000{T}"), ("two zeros", "00"), ("decimal point", f"{T}.0"),
    ("decimal point at the end", f"{T}."), ("exponent", "1.7e9"), ("hexadecimal", "0x6553f100"), ("hexadecimal without 0x", "6553f100"),
    ("octal", "0o14524770400"), ("digit groups", "1_700_000_000"), ("quotes", f'"{T}"'), ("a letter at the end", f"{T}s"),
    ("words", "now"), ("NaN", "NaN"), ("infinity", "Infinity"), ("ISO 8601", "2023-11-14T22:13:20Z"), ("only a sign", "-"),
]:
    malformed(f"t with {name}", SPELLING, f"t={text},v1={sig(t=text)}", "invalid_timestamp", now=T, decided=True)
LONG = "More than 15 digits are refused: beyond, languages differ in what they can hold."
for name, text in [
    ("16 digits", "1000000000000000"), ("2^53", "9007199254740992"), ("2^53 + 1", "9007199254740993"), ("largest i64", "9223372036854775807"), ("i64 overflow", "9223372036854775808"),
    ("largest u64", "18446744073709551615"), ("u64 overflow", "18446744073709551616"),
    ("u64 overflow back to the right time", str(2**64 + T)), ("u128 overflow", str(2**128 + T)), ("1000 digits", "9" * 1000),
    ("nanoseconds", f"{T}000000000"), ("microseconds", f"{T}000000"),
]:
    malformed(f"t of {name}", LONG, f"t={text},v1={sig(t=text)}", "invalid_timestamp", decided=True)
malformed("u32 overflow with a leading zero", SPELLING, f"t=0{2**32 + T},v1={sig(t=2**32 + T)}", "invalid_timestamp", decided=True)
refuse("u32 overflow back to the right time", "The number is not cut to 32 bits.", f"t={2**32 + T},v1={sig(t=2**32 + T)}", "too_new")
refuse("milliseconds", "13 digits are a time in the far future.", f"t={T}000,v1={sig(t=f'{T}000')}", "too_new")
refuse("15 digits", "The largest number taken, far in the future.", f"t=999999999999999,v1={sig(t=999999999999999)}", "too_new")
accept("15 digits at that time", "The largest time that a header may name.", f"t=999999999999999,v1={sig(t=999999999999999)}", now=999999999999999)
accept("zero at zero", "A single 0 is the one time that begins with it.", f"t=0,v1={sig(t=0)}", now=0)
accept("one digit", "A time may be short.", f"t=7,v1={sig(t=7)}", now=0)
refuse("zero today", "The year 1970 is too long ago.", f"t=0,v1={sig(t=0)}", "too_old")
accept("after 2038", "The time does not end with 31 bits.", f"t=2147483648,v1={sig(t=2147483648)}", now=2147483647)
accept("after 2106", "The time does not end with 32 bits.", f"t=4294967296,v1={sig(t=4294967296)}", now=4294967295)
malformed("Arabic digits", "Only ASCII digits are digits.", "t=\u0661\u0667\u0660\u0660,".encode() + f"v1={GOOD}".encode(), "invalid_timestamp", decided=True)
malformed("full-width digits", "Only ASCII digits are digits.", "t=\uff11\uff17\uff10\uff10,".encode() + f"v1={GOOD}".encode(), "invalid_timestamp", decided=True)
malformed("line feed after t", "Patterns that end with $ overlook it.", f"t={T}\n,v1={sig(t=f'{T}%c' % 10)}".encode(), "invalid_timestamp", decided=True)
malformed("NUL after t", "The number does not end at a NUL.", f"t={T}\0,v1={GOOD}".encode(), "invalid_timestamp", decided=True)

# --- Spaces ---------------------------------------------------------------------------------------
TRIM = "Nothing is trimmed: the service sets no spaces."
malformed("space before v1", TRIM + " The name is ' v1'.", f"t={T}, v1={GOOD}", "missing_signature", decided=True)
malformed("space before t", TRIM + " The name is ' t'.", f" t={T},v1={GOOD}", "missing_timestamp", decided=True)
malformed("space after the name v1", TRIM + " The name is 'v1 '.", f"t={T},v1 ={GOOD}", "missing_signature", decided=True)
malformed("space after the name t", TRIM + " The name is 't '.", f"t ={T},v1={GOOD}", "missing_timestamp", decided=True)
malformed("space after the comma, t second", TRIM, f"v1={GOOD}, t={T}", "missing_timestamp", decided=True)
malformed("space before the comma", TRIM + " The time has a space behind it.", f"t={T} ,v1={GOOD}", "invalid_timestamp", decided=True)
malformed("tab before v1", TRIM, f"t={T},\tv1={GOOD}", "missing_signature", decided=True)
refuse("space before the signature", TRIM, f"t={T},v1= {GOOD}", decided=True)
refuse("space after the signature", TRIM, f"t={T},v1={GOOD} ", decided=True)
refuse("tab after the signature", TRIM, f"t={T},v1={GOOD}\t", decided=True)
refuse("space instead of the last digit", "64 characters, one of them no digit.", f"t={T},v1={GOOD[:63]} ")
refuse("line feed after the signature", "Patterns that end with $ overlook it.", f"t={T},v1={GOOD}\n".encode(), decided=True)
accept("spaced v1, then the right one", "A part named ' v1' is unknown and ignored.", f"t={T}, v1={WRONG},v1={GOOD}")
accept("spaced t beside the right one", "A part named ' t' is unknown and no repeated t.", f"t={T}, t=1,v1={GOOD}")

# --- Bytes in the header that are no text ---------------------------------------------------------
accept("unknown part of other bytes", "Unknown parts may hold any byte.", f"t={T},x=".encode() + b"\xff\xfe\x80" + f",v1={GOOD}".encode())
accept("unknown name of other bytes", "Unknown names may hold any byte.", b"\xff=1," + PLAIN.encode())
accept("part without = of other bytes", "Even a part without = may hold any byte.", PLAIN.encode() + b",\x80\x81")
accept("unknown part in UTF-8", "Unknown parts may hold any byte.", f"t={T},name=Köln,v1={GOOD}".encode())
refuse("v1 of other bytes", "64 bytes that are no digits.", f"t={T},v1=".encode() + b"\xff" * 64)
refuse("v1 with a NUL at its end", "The value does not end at a NUL.", f"t={T},v1={GOOD}\0".encode())
refuse("v1 with a NUL for its last digit", "The value does not end at a NUL.", f"t={T},v1={GOOD[:63]}\0".encode())
malformed("t of other bytes", "Bytes that are no digits.", b"t=\xff\xff,v1=" + GOOD.encode(), "invalid_timestamp")
malformed("byte order mark before t", "The name is not t.", b"\xef\xbb\xbf" + PLAIN.encode(), "missing_timestamp")
malformed("only other bytes", "One part without =.", b"\xff\xfe\xfd", "missing_timestamp")
malformed("16 kB of x", "A long header without a time.", "x" * 16384, "missing_timestamp")
accept("1000 unknown parts", "However many there are, unknown parts are ignored.", "x=1," * 1000 + PLAIN)

# --- The edges of the tolerance -------------------------------------------------------------------
for off in (-300, -299, -60, -1, 0, 1, 60, 299, 300):
    accept(f"signed {off:+d} s from now", "Within five minutes, the edge included.", PLAIN, now=T - off)
for off, code in ((-86400, "too_old"), (-3600, "too_old"), (-302, "too_old"), (-301, "too_old"),
                  (301, "too_new"), (302, "too_new"), (3600, "too_new"), (86400, "too_new")):
    refuse(f"signed {off:+d} s from now", "More than five minutes from now.", PLAIN, code, now=T - off)
for tolerance, off, code in ((0, 0, None), (0, -1, "too_old"), (0, 1, "too_new"), (1, -1, None), (1, 1, None),
                             (1, -2, "too_old"), (1, 2, "too_new"), (3600, -3600, None), (3600, 3600, None),
                             (3600, -3601, "too_old"), (3600, 3601, "too_new")):
    name, reason = f"tolerance {tolerance} s, signed {off:+d} s from now", "The tolerance may be set, its edges belong to it."
    if code:
        refuse(name, reason, PLAIN, code, now=T - off, tolerance=tolerance)
    else:
        accept(name, reason, PLAIN, now=T - off, tolerance=tolerance)
refuse("old and wrong", "The time is looked at before the signature.", f"t={T},v1={WRONG}", "too_old", now=T + 301)
refuse("old with an empty v1", "The time is looked at before the signature.", f"t={T},v1=", "too_old", now=T + 301)
malformed("old without v1", "The header is looked at before the time.", f"t={T}", "missing_signature", now=T + 301)
refuse("time moved to now", "A recorded delivery cannot be made fresh: t is signed.", f"t={T + 1000},v1={GOOD}", now=T + 1000)
refuse("time moved by a second", "t is signed, within the tolerance too.", f"t={T + 1},v1={GOOD}")
refuse("clock at zero", "A receiver whose clock is not set refuses.", PLAIN, "too_new", now=0)
accept("now smaller than the tolerance", "No underflow near 1970.", f"t=0,v1={sig(t=0)}", now=300)
refuse("now one past the tolerance", "No underflow near 1970.", f"t=0,v1={sig(t=0)}", "too_old", now=301)

# --- What is signed -------------------------------------------------------------------------------
refuse("body alone signed", "The time and a dot belong to what is signed.",
       f"t={T},v1={hmac.new(SECRET.encode(), raw(BODY), hashlib.sha256).hexdigest()}")
refuse("no dot", "The dot belongs to what is signed.", f"t={T},v1={sig(dot=b'')}")
refuse("colon for the dot", "Time and body are parted by a dot.", f"t={T},v1={sig(dot=b':')}")
refuse("two dots", "There is one dot.", f"t={T},v1={sig(dot=b'..')}")
refuse("body before the time", "The time comes first.",
       f"t={T},v1={hmac.new(SECRET.encode(), raw(BODY) + b'.' + str(T).encode(), hashlib.sha256).hexdigest()}")
refuse("plain SHA-256", "A hash without a key proves nothing.",
       f"t={T},v1={hashlib.sha256(f'{T}.'.encode() + raw(BODY)).hexdigest()}")
refuse("secret put before the text", "A hash over secret and text is no HMAC.",
       f"t={T},v1={hashlib.sha256(SECRET.encode() + f'{T}.'.encode() + raw(BODY)).hexdigest()}")
refuse("HMAC-SHA-1", "Another hash.", f"t={T},v1={hmac.new(SECRET.encode(), f'{T}.'.encode() + raw(BODY), 'sha1').hexdigest()}")
refuse("first half of HMAC-SHA-512", "64 digits of another hash.",
       f"t={T},v1={hmac.new(SECRET.encode(), f'{T}.'.encode() + raw(BODY), 'sha512').hexdigest()[:64]}")
refuse("key and text swapped", "The secret is the key.",
       f"t={T},v1={hmac.new(f'{T}.'.encode() + raw(BODY), SECRET.encode(), hashlib.sha256).hexdigest()}")
malformed("dot moved into the body", "Where the dot stands is clear, since t holds digits alone.", f"t={T}.5,v1={sig(t=f'{T}.5')}", "invalid_timestamp")
refuse("digit moved from time to body", "The dot keeps time and body apart.", f"t={T // 10},v1={GOOD}", now=T // 10,
       body={"text": '0{"id":"evt_1"}'})

# --- Bodies ---------------------------------------------------------------------------------------
for name, reason, body in [
    ("empty", "An empty body is signed like any other.", {"text": ""}),
    ("one byte", "A body need not be JSON.", {"text": "x"}),
    ("not UTF-8", "A body is bytes.", {"hex": "fffe80c0af"}),
    ("all 256 bytes", "A body is bytes.", {"hex": bytes(range(256)).hex()}),
    ("one NUL", "A body does not end at a NUL.", {"hex": "00"}),
    ("NUL within", "A body does not end at a NUL.", {"hex": "7b7d007b7d"}),
    ("half a UTF-8 character", "A body is bytes, cut anywhere.", {"hex": "c3"}),
    ("UTF-16", "A body is bytes, in whatever encoding.", {"hex": '{"id":1}'.encode("utf-16").hex()}),
    ("a lone surrogate in UTF-8", "Bytes that many decoders replace.", {"hex": "eda080"}),
    ("byte order mark", "A byte order mark is part of the body.", {"hex": "efbbbf7b7d"}),
    ("UTF-8", "Text beyond ASCII.", {"text": '{"name":"Käse \u20ac \U0001f9c0"}'}),
    ("decomposed UTF-8", "Text is not normalised.", {"text": "A\u0308"}),
    ("CR LF", "Line ends are not touched.", {"text": "{\r\n}\r\n"}),
    ("LF at the end", "The last line feed is part of the body.", {"text": "{}\n"}),
    ("white space only", "White space is not trimmed.", {"text": " \t\r\n "}),
    ("like the signed text", "A body may look like a header.", {"text": f"t={T},v1={GOOD}"}),
    ("begins with a dot", "The first dot is the one after the time.", {"text": "..."}),
    ("1 MB", "A large body.", BIG),
    ("1 MB and one byte", "A large body, one byte longer.", {"repeat": "a", "times": 1048577}),
] + [(f"{n} bytes", "Around the edges of the hash's blocks of 64 bytes, 11 of which the time takes.", {"repeat": "b", "times": n})
     for n in (43, 44, 45, 52, 53, 54, 107, 108, 109, 116, 117)]:
    accept(f"body: {name}", reason, f"t={T},v1={sig(body=body)}", body=body)
CHANGED = "One byte changed is another body."
for name, reason, signed, sent in [
    ("empty, one byte sent", CHANGED, {"text": ""}, {"text": " "}),
    ("one byte, none sent", CHANGED, {"text": " "}, {"text": ""}),
    ("plain, none sent", "The body was read before the check.", BODY, {"text": ""}),
    ("first byte", CHANGED, BODY, {"text": '["id":"evt_1"}'}),
    ("last byte", CHANGED, BODY, {"text": '{"id":"evt_1"]'}),
    ("middle byte", CHANGED, BODY, {"text": '{"id":"evt_2"}'}),
    ("byte added", CHANGED, BODY, {"text": '{"id":"evt_1"} '}),
    ("byte left out", CHANGED, BODY, {"text": '{"id":"evt_1"'}),
    ("line feed added", CHANGED, BODY, {"text": '{"id":"evt_1"}\n'}),
    ("space after the colon", "Parsed and printed again with spaces.", BODY, {"text": '{"id": "evt_1"}'}),
    ("indented", "Parsed and printed again with indents.", BODY, {"text": '{\n  "id": "evt_1"\n}'}),
    ("keys sorted", "Parsed and printed again in another order.", {"text": '{"id":"1","createdAt":"x"}'}, {"text": '{"createdAt":"x","id":"1"}'}),
    ("slash escaped", "Parsed and printed again with an escape.", {"text": '{"id":"a/b"}'}, {"text": '{"id":"a\\/b"}'}),
    ("character escaped", "Parsed and printed again with an escape.", {"text": '{"id":"ä"}'}, {"text": '{"id":"\\u00e4"}'}),
    ("number rounded", "Parsed and printed again with another number.", {"text": '{"id":1.0}'}, {"text": '{"id":1}'}),
    ("put into a string", "Printed as a string of JSON.", BODY, {"text": '"{\\"id\\":\\"evt_1\\"}"'}),
    ("printed object", "Printed as the language prints objects.", BODY, {"text": "[object Object]"}),
    ("bytes replaced", "Decoded as UTF-8 with replacement characters.", {"hex": "fffe"}, {"hex": "efbfbdefbfbd"}),
    ("Latin-1 as UTF-8", "Decoded in one encoding and encoded in another.", {"hex": "e4"}, {"hex": "c3a4"}),
    ("byte order mark cut off", "A decoder took the byte order mark away.", {"hex": "efbbbf7b7d"}, {"text": "{}"}),
    ("normalised", "Composed text is other text.", {"text": "A\u0308"}, {"text": "\u00c4"}),
    ("LF for CR LF", "Line ends were changed on the way.", {"text": "{\r\n}"}, {"text": "{\n}"}),
    ("cut at a NUL", "The body ended at a NUL.", {"hex": "7b7d007b7d"}, {"text": "{}"}),
    ("1 MB, one byte short", CHANGED, BIG, {"repeat": "a", "times": 1048575}),
    ("1 MB, one byte long", CHANGED, BIG, {"repeat": "a", "times": 1048577}),
    ("high bit cut off", "The body was taken for ASCII.", {"hex": "e1"}, {"hex": "61"}),
]:
    refuse(f"body changed: {name}", reason, f"t={T},v1={sig(body=signed)}", body=sent)

# --- Secrets --------------------------------------------------------------------------------------
BARE = SECRET.removeprefix("whsec_")
for name, reason, secret in [
    ("full length", "Prefix and 43 characters.", NEW),
    ("without prefix", "The key is the text that both sides have, whatever it looks like.", BARE),
    ("prefix alone", "A short key is a key.", "whsec_"),
    ("one character", "A short key is a key.", "x"),
    ("63 bytes", "One byte less than the hash's block.", "k" * 63),
    ("64 bytes", "As long as the hash's block.", "k" * 64),
    ("65 bytes", "Longer than the hash's block, so HMAC hashes it first.", "k" * 65),
    ("1000 bytes", "Much longer than the hash's block.", "whsec_" + "k" * 994),
    ("beyond ASCII", "The key is the UTF-8 of the text.", "whsec_schlüssel"),
    ("space within", "A space within belongs to the key.", "whsec_a b"),
    ("base64 characters", "It is not decoded.", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
]:
    accept(f"secret: {name}", reason, f"t={T},v1={sig(secret)}", secrets=[secret])
for name, reason, key, secret in [
    ("prefix stripped by the sender", "The prefix is part of the key.", BARE, SECRET),
    ("prefix stripped by the receiver", "The prefix is part of the key.", SECRET, BARE),
    ("base64 decoded", "The secret is not decoded, as other services do.", base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    ("prefix twice", "The prefix is there once.", "whsec_" + SECRET, SECRET),
    ("upper-case prefix", "Secrets are case-sensitive.", "WHSEC_test_secret", SECRET),
    ("other case", "Secrets are case-sensitive.", SECRET.upper(), SECRET),
    ("last character missing", "The whole secret is the key.", SECRET[:-1], SECRET),
    ("one character more", "The whole secret is the key.", SECRET + "x", SECRET),
    ("line feed at the end", "Read from a file with its line end.", SECRET + "\n", SECRET),
    ("quotes", "Read from a file with its quotes.", f'"{SECRET}"', SECRET),
    ("another secret", "Signed with a secret that the receiver does not have.", OTHER, SECRET),
    ("empty key", "Anyone can sign with an empty key.", b"", SECRET),
    ("prefix as key", "Anyone knows the prefix.", "whsec_", SECRET),
    ("hashed first", "A key within the hash's block is not hashed.", hashlib.sha256(SECRET.encode()).digest(), SECRET),
    ("Latin-1 bytes", "The key is the UTF-8 of the text.", "whsec_schlüssel".encode("latin-1"), "whsec_schlüssel"),
]:
    refuse(f"wrong secret: {name}", reason, f"t={T},v1={sig(key)}", secrets=[secret])
refuse("wrong secret: long key cut to 64 bytes", "A long key is hashed, not cut.", f"t={T},v1={sig('k' * 64)}", secrets=["k" * 65])

# --- Rolling --------------------------------------------------------------------------------------
sn, so, sx = sig(NEW), sig(OLD), sig(OTHER)
both, swapped = f"t={T},v1={sn},v1={so}", f"t={T},v1={so},v1={sn}"
for name, header in [("new, old", both), ("old, new", swapped)]:
    accept(f"roll ({name}): receiver has the old secret", "During a roll a receiver that was not told yet goes on.", header, secrets=[OLD])
    accept(f"roll ({name}): receiver has the new secret", "During a roll a receiver that has changed over goes on.", header, secrets=[NEW])
    accept(f"roll ({name}): receiver has new and old", "Both match: the first secret in the receiver's order is named.", header, secrets=[NEW, OLD])
    accept(f"roll ({name}): receiver has old and new", "Both match: the first secret in the receiver's order is named.", header, secrets=[OLD, NEW])
    refuse(f"roll ({name}): receiver has neither", "Two signatures, neither by the receiver's secret.", header, secrets=[OTHER])
    accept(f"roll ({name}): receiver has another and old", "The second secret matches.", header, 1, secrets=[OTHER, OLD])
    accept(f"roll ({name}): receiver has another and new", "The second secret matches.", header, 1, secrets=[OTHER, NEW])
only_new, only_old = f"t={T},v1={sn}", f"t={T},v1={so}"
accept("before the roll: receiver has old and new", "Signed with the old secret alone.", only_old, secrets=[OLD, NEW])
accept("before the roll: receiver has new and old", "Signed with the old secret alone.", only_old, 1, secrets=[NEW, OLD])
accept("after the roll: receiver has new and old", "Signed with the new secret alone.", only_new, secrets=[NEW, OLD])
accept("after the roll: receiver has old and new", "Signed with the new secret alone.", only_new, 1, secrets=[OLD, NEW])
refuse("after the roll: receiver has the old secret", "A receiver that was never told refuses after 24 hours.", only_new, secrets=[OLD])
refuse("before the roll: receiver has the new secret", "The old secret was taken away too early.", only_old, secrets=[NEW])
accept("same secret twice", "The first of two equal secrets is named.", only_new, secrets=[NEW, NEW])
accept("third of three secrets", "All secrets are tried.", only_old, 2, secrets=[OTHER, NEW, OLD])
accept("last of 20 secrets", "The number of secrets is not limited.", only_old, 19, secrets=[f"whsec_{i}" for i in range(19)] + [OLD])
refuse("none of 20 secrets", "All secrets are tried, none matches.", only_old, secrets=[f"whsec_{i}" for i in range(20)])
accept("roll with a forged v1 first", "A forged v1 does not spoil the others.", f"t={T},v1={sx},v1={so},v1={sn}", 1, secrets=["whsec_x", OLD])
refuse("roll, each half of a signature", "Two halves make no whole.", f"t={T},v1={sn[:32]},v1={so[:32]}", secrets=[NEW, OLD])
refuse("roll, both in one v1", "Two signatures in one value are neither.", f"t={T},v1={sn}{so}", secrets=[NEW, OLD])
refuse("roll with a space for the comma", "Signatures are parted by commas.", f"t={T},v1={sn} v1={so}", secrets=[NEW, OLD])
refuse("roll, too old", "A roll does not make old deliveries fresh.", both, "too_old", secrets=[NEW, OLD], now=T + 301)
refuse("roll, body changed", "Two signatures of another body.", both, secrets=[NEW, OLD], body={"text": "{}"})
refuse("no secret", "A receiver without any secret refuses all.", PLAIN, "no_secret", secrets=[], decided=True)
refuse("no secret, too old", "That there is no secret is seen before the time.", PLAIN, "no_secret", secrets=[], now=T + 301, decided=True)
malformed("no secret, no header", "The header is looked at first.", None, "missing_header", secrets=[], decided=True)

names = [c["name"] for c in cases]
assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]

lines = ",\n".join("    " + json.dumps(c) for c in cases)
text = f"""{{
  "about": "Cases for verifiers of the Service-Signature header. The format is explained in docs/vectors.md. Written by vectors/generate.py.",
  "version": 1,
  "cases": [
{lines}
  ]
}}
"""
path = pathlib.Path(__file__).resolve().parent.parent / "vectors.json"
if "--check" in sys.argv:
    sys.exit(0 if path.read_text() == text else "vectors.json is not what vectors/generate.py writes")
path.write_text(text)
print(f"{len(cases)} cases")
