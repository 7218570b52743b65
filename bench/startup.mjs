import { ms, row, timePair } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const RUNS = 20;
const CONFIG = 'cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: 1 }\n';

/** How long until the command answers, against a Node.js that does nothing. */
export async function benchStartup() {
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': '#!/bin/sh\necho LOOP_COMPLETE\n' }, (cwd) => {
    const bare = { command: process.execPath, args: ['-e', '0'], cwd };
    const version = timePair({ command: process.execPath, args: [RALPH, '--version'], cwd }, bare, RUNS);
    const turn = [RALPH, 'run', '-p', 'x', '--no-tui', '-q'];
    const run = timePair({ command: process.execPath, args: [...turn, '-c', 'isolation=off'], cwd }, bare, RUNS);
    const isolated = timePair({ command: process.execPath, args: turn, cwd }, bare, RUNS);
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
        '`ralph run`, one turn of a shell agent, whole process, `isolation: off`',
        ms(run.ours.median),
        `\`node -e 0\` ${ms(run.theirs.median)}`,
        `${run.ratio.toFixed(2)} x`,
        note,
      ),
      row(
        'the same with `isolation: auto`: a trial of a namespace, and one for the turn',
        ms(isolated.ours.median),
        `\`node -e 0\` ${ms(isolated.theirs.median)}`,
        `${isolated.ratio.toFixed(2)} x`,
        `**${(isolated.ours.median - run.ours.median).toFixed(1)} ms more**; ${note}`,
      ),
    ];
  });
}
