import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { cleanEnvironment, ms, row, summarise, timeOnce, timePair } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const ITERATIONS = 50;
const RUNS = 3;
/** Notes how long its prompt is (the last argument, or the file that it names), and is done at the last call. */
const AGENT = `#!/bin/sh
for prompt; do :; done
file=$(printf %s "$prompt" | grep -o '/[^ ]*' | head -n 1)
if [ \${#prompt} -lt 300 ] && [ -f "$file" ]; then wc -c < "$file" >> sizes; else printf %s "$prompt" | wc -c >> sizes; fi
n=$(cat count 2>/dev/null || echo 0)
n=$((n + 1))
echo $n > count
echo working
[ $n -ge ${ITERATIONS} ] && echo LOOP_COMPLETE
exit 0
`;
const CONFIG = `cli:
  backend: custom
  command: ./agent.sh
event_loop:
  max_iterations: ${ITERATIONS + 1}
`;

/** The same loop of a custom backend through a ralph-orchestrator binary (`cargo install ralph-cli`), in turn with ours. */
export async function benchPeer(binary) {
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': AGENT }, (cwd) => {
    spawnSync('git', ['init', '-q'], { cwd });
    const clear = () => {
      for (const name of ['count', 'sizes']) rmSync(`${cwd}/${name}`, { force: true });
      for (const name of ['.ralph', '.agent']) rmSync(`${cwd}/${name}`, { recursive: true, force: true });
    };
    const args = ['run', '-c', 'ralph.yml', '-p', 'do it', '--no-tui'];
    const sides = [
      { name: 'ours', command: process.execPath, args: [RALPH, ...args, '-q'] },
      { name: 'peer', command: binary, args },
    ];
    const times = { ours: [], peer: [] };
    const sizes = {};
    for (let run = 0; run < RUNS; run += 1) {
      for (const side of sides) {
        times[side.name].push(timeOnce({ ...side, cwd, prepare: clear, accepts: [0, 1, 2] }));
        sizes[side.name] = readSizes(cwd);
      }
    }
    const start = timePair(
      { command: process.execPath, args: [RALPH, '--version'], cwd },
      { command: binary, args: ['--version'], cwd },
      10,
    );
    const ours = summarise(times.ours);
    const peer = summarise(times.peer);
    return [
      row(
        `${ITERATIONS} turns of the same agent`,
        ms(ours.min),
        `peer ${ms(peer.min)} (${sizes.peer.turns} turns)`,
        `${(ours.min / peer.min).toFixed(2)} x`,
        `per turn: ours ${ms(ours.min / sizes.ours.turns)}, peer ${ms(peer.min / sizes.peer.turns)}`,
      ),
      row(
        'prompt without hats, characters',
        `${sizes.ours.characters}`,
        `peer ${sizes.peer.characters}`,
        `${(sizes.ours.characters / sizes.peer.characters).toFixed(2)} x`,
        'the first turn',
      ),
      row('`--version`', ms(start.ours.median), `peer ${ms(start.theirs.median)}`, `${start.ratio.toFixed(1)} x`, 'median of 10'),
      row(
        'peak memory of the loop',
        `${peakOf(sides[0], cwd, clear)} MB`,
        `peer ${peakOf(sides[1], cwd, clear)} MB`,
        '',
        'largest process, GNU time',
      ),
    ];
  });
}

function readSizes(cwd) {
  const sizes = readFileSync(`${cwd}/sizes`, 'utf8').trim().split('\n').map(Number);
  return { turns: sizes.length, characters: sizes[0] };
}

/** Peak memory in MB by GNU time, where it is there. */
function peakOf({ command, args }, cwd, clear) {
  clear();
  const result = spawnSync('/usr/bin/time', ['-f', 'peak %M', command, ...args], { cwd, env: cleanEnvironment(), encoding: 'utf8' });
  const kilobytes = /peak (\d+)/.exec(result.stderr ?? '')?.[1];
  return kilobytes === undefined ? 'unknown' : Math.round(Number(kilobytes) / 1024);
}
