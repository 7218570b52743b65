/** The ways in which an agent is kept at work: what is written for it into the project, and the command that is started. */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../measure.mjs';
import { RALPH } from '../workspace.mjs';
import { PROMISE } from './project.mjs';

/** The same in every column, as far as it has such a limit. */
const TURNS = 6;
const TURN_SECONDS = 6;
const IDLE_SECONDS = 3;
const PLAY = fileURLToPath(new URL('play.mjs', import.meta.url));

/** The loop that people write by hand; a program that stays cannot hold it up, since no pipe is read. */
const toLoop = (agent, log, test) => `#!/bin/sh
n=0
while [ $n -lt ${TURNS} ]; do
  n=$((n + 1))
  timeout -k 1 ${TURN_SECONDS} ${agent} < PROMPT.md > ${log} 2>&1
  grep -q ${PROMISE} ${log}${test} && exit 0
done
exit 1
`;

function startLoop({ state }, agent, test) {
  const script = join(state, 'loop.sh');
  writeFileSync(script, toLoop(agent, join(state, 'agent.log'), test));
  return ['/bin/sh', script];
}

const PEER_CONFIG = `cli:
  backend: custom
  command: AGENT
adapters:
  claude:
    timeout: ${IDLE_SECONDS}
event_loop:
  prompt_file: PROMPT.md
  completion_promise: ${PROMISE}
  max_iterations: ${TURNS}
`;

/** By somebody careful: the only way in its documents to have a command decide about the end. */
const PEER_HOOK = `hooks:
  enabled: true
  events:
    pre.loop.complete:
      - name: tests
        command: [npm, test]
        on_error: block
`;

/**
 * Each with `prepare`, which may write into the project before the person commits it, and `toCommand`. A column has accepted the work when its command ends
 * with 0.
 */
export function createColumns(peer) {
  return [
    {
      name: 'loop',
      title: 'shell loop',
      prepare: () => undefined,
      toCommand: (place, agent) => startLoop(place, agent, ''),
    },
    {
      name: 'careful',
      title: 'shell loop, `&& npm test`',
      prepare: () => undefined,
      toCommand: (place, agent) => startLoop(place, agent, ' && npm test > /dev/null 2>&1'),
    },
    ...(peer === undefined ? [] : [createPeer(peer), createPeer(peer, PEER_HOOK)]),
    createRalph('ralph', 'Ralph', []),
    createRalph('safe', 'Ralph, `--safe`', ['--safe']),
  ];
}

function createRalph(name, title, flags) {
  return {
    name,
    title,
    prepare: ({ project, home }) => {
      const made = spawnSync(process.execPath, [RALPH, 'init'], { cwd: project, env: toEnvironment(home), encoding: 'utf8' });
      if (made.status !== 0) throw new Error(`ralph init: ${made.stderr}`);
    },
    toCommand: (_, agent) => {
      const limits = [`timeout_seconds=${TURN_SECONDS}`, `idle_timeout_seconds=${IDLE_SECONDS}`];
      const settings = [`cli.command=${agent}`, ...limits.map((limit) => `event_loop.${limit}`)];
      const args = ['run', '--no-tui', ...flags, '--max-iterations', `${TURNS}`, ...settings.flatMap((setting) => ['-c', setting])];
      return [process.execPath, RALPH, ...args];
    },
  };
}

function createPeer(binary, hook = '') {
  const version = /\d+\.\d+\.\d+/.exec(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? '';
  return {
    name: hook === '' ? 'peer' : 'hooked',
    title: `ralph-orchestrator ${version}${hook === '' ? '' : ', `npm test` as a hook'}`,
    prepare: ({ project, state }) =>
      writeFileSync(join(project, 'ralph.yml'), `${PEER_CONFIG.replace('AGENT', join(state, 'agent.sh'))}${hook}`),
    toCommand: () => [binary, 'run', '-c', 'ralph.yml', '--no-tui'],
  };
}

/** The program that every column starts: one turn of the scripted agent. */
export function writeAgent({ state }, name) {
  const path = join(state, 'agent.sh');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${PLAY}" ${name} "${state}" "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A person's environment, with a HOME of the case: nothing of a run or of an agent around this bench. */
export function toEnvironment(home) {
  const taken = /^(RALPH_|CLAUDE|NODE_TEST_CONTEXT|XDG_(CONFIG|STATE|DATA)_HOME|npm_|GIT_)/;
  const env = Object.fromEntries(Object.entries(cleanEnvironment()).filter(([name]) => !taken.test(name)));
  return { ...env, HOME: home, NO_COLOR: '1' };
}
