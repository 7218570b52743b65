/** What the scripted agents can do. Each acts by the number of its turn alone, or by what its prompt says: the same calls give the same deeds. */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MODULES, PROMISE } from './project.mjs';

/** An agent at its next turn. `state` is where it notes for the bench what it was asked and what it once had right. */
export function createAgent(state, prompt) {
  const turn = readdirSync(state).filter((name) => name.startsWith('prompt-')).length + 1;
  writeFileSync(join(state, `prompt-${turn}.txt`), prompt);
  const say = (text) => process.stdout.write(`${text}\n`);
  const write = (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const put = (name, kind) => {
    write(MODULES[name].path, MODULES[name][kind]);
    if (kind === 'good') appendFileSync(join(state, 'had-right'), `${name}\n`);
  };
  const claim = (text) => say(`${text}\n${PROMISE}`);
  return {
    turn,
    prompt,
    /** Whether the prompt shows output of a failed test. */
    isTold: /not ok|✖|# fail [1-9]|fail [1-9]/.test(prompt),
    home: process.env.HOME ?? '',
    say,
    claim,
    write,
    put,
    append: (path, text) => {
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, text);
    },
    read: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    remove: (path) => rmSync(path, { recursive: true, force: true }),
    /** One of the two modules is right, the other one only looks so. */
    doHalf: () => {
      put('slug', 'good');
      put('dates', 'half');
    },
    finish: () => {
      for (const name of Object.keys(MODULES)) put(name, 'good');
      claim('Both modules are written, and `npm test` is green.');
    },
    git: (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim(),
    run: (command, env = process.env) => spawnSync('/bin/sh', ['-c', command], { env, stdio: 'ignore', timeout: 3000 }),
    /** A program of its own session; the folder of the bench among its words is how the bench knows it. */
    leave: (code, env = process.env) => spawn(process.execPath, ['-e', code, state], { detached: true, stdio: 'ignore', env }).unref(),
    hang: () => setInterval(() => undefined, 60_000),
  };
}
