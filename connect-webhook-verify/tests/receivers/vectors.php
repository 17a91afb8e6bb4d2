<?php
// Prints the status that a receiver gives for each vector, one in a line.
// Arguments: the file with `verify`, and vectors.json.
require $argv[1];

function raw(array $body): string {
    return match (true) {
        isset($body['text']) => $body['text'],
        isset($body['hex']) => hex2bin($body['hex']),
        default => str_repeat($body['repeat'], $body['times']),
    };
}

foreach (json_decode(file_get_contents($argv[2]), true)['cases'] as $case) {
    $header = isset($case['header_hex']) ? hex2bin($case['header_hex']) : $case['header'];
    echo verify($header, raw($case['body']), $case['secrets'], $case['now'], $case['tolerance']), "\n";
}
