/**
 * Plays a recorded stream in place of an agent CLI: `replay-agent.mjs TRANSCRIPT ENDING RECORD [the CLI's own arguments]`.
 * ENDING is an exit code, or `stay` to never end. What it was given is written to the file RECORD.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [transcript, ending, record, ...args] = process.argv.slice(2);
const { IS_SANDBOX, OPENCODE_CONFIG_CONTENT, RALPH_HAT } = process.env;

writeFileSync(record, JSON.stringify({ args, stdin: readFileSync(0, 'utf8'), env: { IS_SANDBOX, OPENCODE_CONFIG_CONTENT, RALPH_HAT } }));
process.stdout.write(readFileSync(transcript));
if (ending === 'stay') setInterval(() => {}, 1000);
else process.exitCode = Number(ending);
