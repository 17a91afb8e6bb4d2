//! Progress on a terminal and in a file.

use connect_examples::sync_catalog::Progress;

fn written(is_terminal: bool) -> String {
    let mut output = Vec::new();
    let mut progress = Progress::on(&mut output, is_terminal);
    progress.note("begin");
    progress.step("one of two");
    progress.step("two");
    progress.finish();
    progress.finish();
    progress.note("end");
    String::from_utf8(output).unwrap()
}

#[test]
fn a_pipe_gets_lines() {
    assert_eq!(written(false), "begin\none of two\ntwo\nend\n");
}

#[test]
fn a_terminal_gets_one_line_written_over() {
    assert_eq!(written(true), "begin\n\r\x1b[Kone of two\r\x1b[Ktwo\nend\n");
}
