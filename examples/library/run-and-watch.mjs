// Starts a run, shows what its agents say, and stops it once it has written enough.
import { startRun } from 'ralph-hats';

const MAX_OUTPUT_TOKENS = 700;

// Ctrl+C ends the run in order, as it does for the command.
const leaving = new AbortController();
process.once('SIGINT', () => leaving.abort());

const run = await startRun({ cwd: process.argv[2], signal: leaving.signal });
let tokens = 0;
for await (const record of run) {
  if (record.kind === 'live' && record.type === 'text') console.log(`${record.hat}: ${record.text}`);
  if (record.kind !== 'input' || record.type !== 'iteration-ended') continue;
  tokens += record.usage.outputTokens ?? 0;
  console.log(`turn ${record.iteration} ${record.outcome.status}, ${tokens} tokens so far`);
  if (tokens > MAX_OUTPUT_TOKENS) run.stop();
}
const { reason, detail } = await run.outcome;
console.log(`${run.runId}: ${reason} (${detail})`);
