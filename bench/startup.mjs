import { ms, row, timePair } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const RUNS = 20;
const CONFIG = 'cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: 1 }\n';

/** How long until the command answers, against a Node.js that does nothing. */
export async function benchStartup() {
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': '#!/bin/sh\necho LOOP_COMPLETE\n' }, (cwd) => {
    const bare = { command: process.execPath, args: ['-e', '0'], cwd };
    const version = timePair({ command: process.execPath, args: [RALPH, '--version'], cwd }, bare, RUNS);
    const run = timePair({ command: process.execPath, args: [RALPH, 'run', '-p', 'x', '--no-tui', '-q'], cwd }, bare, RUNS);
    const note = `median of ${RUNS}`;
    return [
      row(
        '`ralph --version`',
        ms(version.ours.median),
        `\`node -e 0\` ${ms(version.theirs.median)}`,
        `${version.ratio.toFixed(2)} x`,
        note,
      ),
      row(
        '`ralph run`, one turn of a shell agent, whole process',
        ms(run.ours.median),
        `\`node -e 0\` ${ms(run.theirs.median)}`,
        `${run.ratio.toFixed(2)} x`,
        note,
      ),
    ];
  });
}
