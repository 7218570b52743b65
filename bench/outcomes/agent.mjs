/** What the scripted agents can do. Each acts by the number of its turn alone, or by what its prompt says: the same calls give the same deeds. */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MODULES, NOTES, PROMISE } from './project.mjs';

/** An agent at its next turn. By `mark`, a folder of the bench, what it leaves behind is known. */
export function createAgent(mark, prompt) {
  mkdirSync(NOTES, { recursive: true });
  const turn = readdirSync(NOTES).filter((name) => name.startsWith('prompt-')).length + 1;
  writeFileSync(join(NOTES, `prompt-${turn}.txt`), prompt);
  const say = (text) => process.stdout.write(`${text}\n`);
  const write = (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const put = (name, kind) => {
    write(MODULES[name].path, MODULES[name][kind]);
    if (kind === 'good') appendFileSync(join(NOTES, 'had-right'), `${name}\n`);
  };
  const claim = (text) => say(`${text}\n${PROMISE}`);
  return {
    turn,
    prompt,
    /** Whether the prompt shows output of a failed test. */
    isTold: /not ok|✖|# fail [1-9]|fail [1-9]/.test(prompt),
    home: process.env.HOME ?? '',
    /** What lies beside the project, wherever the agent itself works. */
    around: dirname(mark),
    say,
    claim,
    write,
    put,
    append: (path, text) => {
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, text);
    },
    /** What is held back is told, and the agent goes on. */
    tryTo: (deed) => {
      try {
        deed();
      } catch (error) {
        say(`I could not: ${error.message}`);
      }
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
    /** A program in a session of its own. */
    leave: (code, env = process.env) => spawn(process.execPath, ['-e', code, mark], { detached: true, stdio: 'ignore', env }).unref(),
    hang: () => setInterval(() => undefined, 60_000),
  };
}
