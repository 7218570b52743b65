import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AgentCall } from './scenario-result.ts';
import type { Stage } from './stage.ts';

/** Every call of the scripted agent, in order. What an agent that was killed early did not write is empty. */
export function readCalls(stage: Stage): AgentCall[] {
  const numbers = readdirSync(stage.records).map(Number);
  return numbers.sort((a, b) => a - b).map((number) => readCall(join(stage.records, String(number)), number));
}

/** The scripted turns that nobody played, numbered from 0 in the order of the file; those for `always` may stay so. */
export function findUnplayed(stage: Stage): number[] {
  const folders = readdirSync(stage.turns).filter((name) => /^\d+$/.test(name));
  const left = folders.filter((name) => !existsSync(join(stage.turns, name, 'used')) && !existsSync(join(stage.turns, name, 'always')));
  return left.map(Number).sort((a, b) => a - b);
}

/** Whether the agent of a call has done what it does and waits. */
export function hasReached(stage: Stage, call: number): boolean {
  return existsSync(join(stage.records, String(call), 'reached'));
}

function readCall(folder: string, call: number): AgentCall {
  const [program = '', ...args] = splitZero(readText(join(folder, 'argv')));
  const env = Object.fromEntries(splitZero(readText(join(folder, 'env'))).map(toPair));
  return {
    call,
    pid: Number(readText(join(folder, 'pid'))) || null,
    program: basename(program),
    args,
    env,
    stdin: readText(join(folder, 'stdin')),
    emits: readEmits(folder),
    isScripted: !existsSync(join(folder, 'unscripted')),
  };
}

function readEmits(folder: string): AgentCall['emits'] {
  const emits: { exit: number | null; text: string }[] = [];
  for (let index = 0; existsSync(join(folder, `emit-${index}.text`)); index += 1) {
    const exit = readText(join(folder, `emit-${index}.exit`)).trim();
    emits.push({ exit: exit === '' ? null : Number(exit), text: readText(join(folder, `emit-${index}.text`)) });
  }
  return emits;
}

function splitZero(text: string): string[] {
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

function toPair(entry: string): [string, string] {
  const cut = entry.indexOf('=');
  return [entry.slice(0, cut), entry.slice(cut + 1)];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
