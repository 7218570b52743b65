import { rmSync, writeFileSync } from 'node:fs';
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
const toConfig = (isolation) =>
  `cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: ${ITERATIONS + 1} }\nisolation: ${isolation}\n`;

/** What the loop adds to each turn, against a shell loop that starts the same agent; and what a process namespace of its own adds to that. */
export async function benchLoop() {
  const files = { 'off.yml': toConfig('off'), 'auto.yml': toConfig('auto'), 'agent.sh': AGENT, 'loop.sh': SHELL_LOOP };
  return withFolder(files, async (cwd) => {
    const prepare = () => rmSync(`${cwd}/count`, { force: true });
    /** The agent is done at its first call. */
    const prepareLast = () => writeFileSync(`${cwd}/count`, `${ITERATIONS - 1}\n`);
    const timeRun = (config, prepare) =>
      timeOnce({ command: process.execPath, args: [RALPH, 'run', '-c', config, '-p', 'x', '--no-tui', '-q'], cwd, prepare });
    const [off, auto, shell, single] = [[], [], [], []];
    for (let run = 0; run < RUNS; run += 1) {
      off.push(timeRun('off.yml', prepare));
      auto.push(timeRun('auto.yml', prepare));
      single.push(timeRun('off.yml', prepareLast));
      shell.push(timeOnce({ command: '/bin/sh', args: ['./loop.sh'], cwd, prepare }));
    }
    const [bare, isolated, theirs, one] = [off, auto, shell, single].map((times) => summarise(times).min);
    const added = (bare - one) / (ITERATIONS - 1) - theirs / ITERATIONS;
    const against = `shell loop ${ms(theirs)}`;
    return [
      row(
        `loop of ${ITERATIONS} turns of a trivial agent, \`isolation: off\``,
        ms(bare),
        against,
        `${(bare / theirs).toFixed(2)} x`,
        `**${ms(added)} added per turn**; ${ms((bare - theirs) / ITERATIONS)} with the start-up of the process; min of ${RUNS}`,
      ),
      row(
        'the same with `isolation: auto`: a process namespace for each turn, where the system allows it',
        ms(isolated),
        against,
        `${(isolated / theirs).toFixed(2)} x`,
        `**${ms((isolated - bare) / ITERATIONS)} more per turn**; min of ${RUNS}`,
      ),
    ];
  });
}
