/** A terminal without a package that brings one: `script` of util-linux makes it and passes bytes on. It is a program of C that waits in `poll`; tmux would draw each byte itself. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cleanEnvironment } from './measure.mjs';

const SIZE = { columns: 110, rows: 30 };
/** Printed before and behind the command, where no frame has it. */
const START = '\u0001';
const END = '\u0002';
/** A frame is written between them (mode 2026). */
const FRAME_END = '\u001b[?2026l';
const PATIENCE_MS = 60_000;
const KEY_MS = 200;

/** Why there is no terminal here; `null` where there is one. */
export function whyNoTerminal() {
  const { status, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes('util-linux') ? null : 'there is no `script` of util-linux';
}

/** The environment of a person's terminal, and places of its own. */
export function toTerminalEnvironment(extra = {}) {
  return cleanEnvironment({ TERM: 'xterm-256color', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', CI: '', NO_COLOR: '', ACCESSIBLE: '', ...extra });
}

/**
 * Starts words of a shell in a terminal. `startedAt` is when the shell is about to start them: what the terminal itself took to be there is not theirs.
 *
 * `until` resolves with the moment in which something held of the terminal: `frames`, `text` (all that was written, from the start on), `headline` (its first row), `hasEnded`.
 */
export async function openTerminal(words, { cwd, env }) {
  const command = `stty cols ${SIZE.columns} rows ${SIZE.rows}; printf '\\001'; ${words}; printf '\\002'`;
  const child = spawn('script', ['-qfc', command, '/dev/null'], {
    cwd,
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const seen = { text: '', frames: 0, headline: '', hasEnded: false };
  const waiting = new Set();
  const screen = createHeadline();
  let startedAt = 0;
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    const now = performance.now();
    let text = piece;
    if (startedAt === 0) {
      if (!text.includes(START)) return;
      startedAt = now;
      text = text.slice(text.indexOf(START) + 1);
    }
    seen.text = (seen.text + text).slice(-200_000);
    seen.frames += text.split(FRAME_END).length - 1;
    seen.headline = screen.take(text);
    seen.hasEnded ||= text.includes(END);
    for (const check of [...waiting]) check(now);
  });
  const until = (holds) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check);
        reject(new Error(`a terminal waited in vain; its last bytes: ${JSON.stringify(seen.text.slice(-300))}`));
      }, PATIENCE_MS);
      const check = (now) => {
        if (!holds(seen)) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve(now);
      };
      waiting.add(check);
      check(performance.now());
    });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await until(() => startedAt > 0);
  return {
    startedAt,
    until,
    /** What the main thread of the command has had of a core so far; 0 where the command is gone. */
    readCpuMs: () => readMainCpuMs(findChild(findChild(child.pid))),
    /** Presses the key that leaves, until it was heard. */
    leave: async () => {
      const keys = setInterval(() => child.stdin.write('q'), KEY_MS);
      child.stdin.write('q');
      await exited;
      clearInterval(keys);
    },
    /** Ends a command that hears no keys. */
    close: async () => {
      child.kill('SIGTERM');
      await exited;
    },
    exited,
  };
}

function findChild(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** In nanoseconds where the system counts them; without the time in which others had the core. */
function readMainCpuMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

const ESC = '\u001b';
const UNFINISHED = new RegExp(`${ESC}(?:\\[[\\d;?]*)?$`);
/** Places, other orders, texts. */
const PARTS = new RegExp(`${ESC}\\[(?:(\\d+;\\d+)H|[\\d;?]*[a-zA-Z])|[^${ESC}]+`, 'g');

/** The first row of the terminal, from what is written: places and texts, all characters one cell wide. */
function createHeadline() {
  const cells = Array(SIZE.columns).fill(' ');
  let rest = '';
  let row = 1;
  let column = 1;
  return {
    take: (text) => {
      const all = rest + text;
      const cut = UNFINISHED.exec(all)?.index ?? all.length;
      rest = all.slice(cut);
      for (const [part, place] of all.slice(0, cut).matchAll(PARTS)) {
        if (place !== undefined) [row, column] = place.split(';').map(Number);
        else if (!part.startsWith(ESC))
          for (const char of part) {
            if (row === 1) cells[column - 1] = char;
            column += 1;
          }
      }
      return cells.join('').trimEnd();
    },
  };
}
