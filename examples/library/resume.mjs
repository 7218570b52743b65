// Lists the runs of a folder and goes on with the newest, whatever ended it: a stop, a kill, a crash of the machine.
import { listRuns, RalphError, resumeRun } from 'ralph-hats';

const cwd = process.argv[2];
for (const { runId, status, reason, iterations } of await listRuns({ cwd })) {
  console.log(`${runId} ${reason ?? status} after ${iterations} turns`);
}
try {
  const run = await resumeRun({ cwd });
  const { reason, view } = await run.outcome;
  console.log(`${run.runId}: ${reason} after ${view.totals.iterations} turns`);
} catch (error) {
  if (!(error instanceof RalphError)) throw error;
  console.log(error.message);
  console.log(error.fix);
}
