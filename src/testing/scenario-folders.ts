import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tryOr } from '../core/values/result.ts';
import type { AgentCall } from './run-facts.ts';
import type { Files, Scenario } from './scenario.ts';

/** Workers that take the turns of a scenario; they take those of one scenario at a time. */
export interface ScenarioFleet {
  /** Its address, as `ralph run --fleet` is given it. */
  readonly url: string;
  /** A folder on the PATH of the workers, in which the scripted agents are put. */
  readonly bin: string;
}

export interface ScenarioFolders {
  /** Everything of the scenario is below it. */
  readonly root: string;
  /** Where `ralph run` is typed. */
  readonly workspace: string;
  /** One folder for each call of the scripted agent, numbered from 1. */
  readonly records: string;
  /** One folder for each scripted turn, numbered from 0; `used` is in it once an agent has taken it. */
  readonly turns: string;
  /** The environment of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** The workers that take the turns; absent: the run itself does. */
  readonly fleet?: ScenarioFleet;
  readonly writeFiles: (files: Files) => void;
  /** Writes `ralph.yml`: a text as it is; a map without `cli` gets the scripted agent for all its hats. */
  readonly writeConfig: (config: NonNullable<Scenario['config']>) => void;
  readonly clear: () => void;
}

/** Every call of the scripted agent, in order. What an agent that was killed early did not write is empty. */
export function readCalls({ records }: ScenarioFolders): AgentCall[] {
  const numbers = readdirSync(records).map(Number);
  return numbers.sort((a, b) => a - b).map((number) => readCall(join(records, String(number)), number));
}

/** The scripted turns that no agent has taken, numbered from 0 in the order of the file; those for `always` may stay so. */
export function findUnusedTurns({ turns }: ScenarioFolders): number[] {
  const isUnused = (name: string): boolean => !existsSync(join(turns, name, 'used')) && !existsSync(join(turns, name, 'always'));
  const names = readdirSync(turns).filter((name) => /^\d+$/.test(name) && isUnused(name));
  return names.map(Number).sort((a, b) => a - b);
}

/** Whether a file is where the run is, or where one of its agents works: a worker has a folder of its own. */
export function isFileThere({ workspace, records }: ScenarioFolders, file: string): boolean {
  const worked = readdirSync(records).map((call) => readText(join(records, call, 'cwd')).replace(/\n$/, ''));
  return [workspace, ...worked].some((folder) => folder !== '' && existsSync(join(folder, file)));
}

/** Whether the agent of a call has done what it does and waits. */
export function hasReached({ records }: ScenarioFolders, call: number): boolean {
  return existsSync(join(records, String(call), 'reached'));
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

/** A file as text; empty where it cannot be read. */
export function readText(path: string): string {
  return tryOr(() => readFileSync(path, 'utf8'), '');
}
