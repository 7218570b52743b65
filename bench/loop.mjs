import { ms, row, summarise, timeOnce } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const ITERATIONS = 100;
const RUNS = 5;
/** Says something, and is done at the last call. */
const AGENT = `#!/bin/sh
echo working
n=$(cat count 2>/dev/null || echo 0)
n=$((n + 1))
echo $n > count
[ $n -ge ${ITERATIONS} ] && echo LOOP_COMPLETE
exit 0
`;
const SHELL_LOOP = `#!/bin/sh
i=0
while [ $i -lt ${ITERATIONS} ]; do ./agent.sh "prompt" > out.log; i=$((i + 1)); done
`;
const CONFIG = `cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: ${ITERATIONS + 1} }\n`;

/** What the loop adds to each turn, against a shell loop that starts the same agent. */
export async function benchLoop() {
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': AGENT, 'loop.sh': SHELL_LOOP }, async (cwd) => {
    const { rmSync } = await import('node:fs');
    const prepare = () => rmSync(`${cwd}/count`, { force: true });
    const ours = [];
    const shell = [];
    for (let run = 0; run < RUNS; run += 1) {
      ours.push(timeOnce({ command: process.execPath, args: [RALPH, 'run', '-p', 'x', '--no-tui', '-q'], cwd, prepare }));
      shell.push(timeOnce({ command: '/bin/sh', args: ['./loop.sh'], cwd, prepare }));
    }
    const [a, b] = [summarise(ours), summarise(shell)];
    const added = (a.min - b.min) / ITERATIONS;
    return [
      row(
        `loop of ${ITERATIONS} turns of a trivial agent`,
        ms(a.min),
        `shell loop ${ms(b.min)}`,
        `${(a.min / b.min).toFixed(2)} x`,
        `**${ms(added)} added per turn**, start-up of the process included; min of ${RUNS}`,
      ),
    ];
  });
}
