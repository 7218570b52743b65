import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { toEnvironment, writeAgent } from './columns.mjs';
import { findWork, judge, listProcesses } from './judge.mjs';
import { commitProject, makePlace, NOTES } from './project.mjs';

/** A case that has not ended by itself by then is ended. */
const CASE_MS = 45_000;
/** What ends by itself a moment after the tool is not counted as left. */
const SETTLE_MS = 300;

/** Plays one agent in one column, in a project of its own. */
export async function runCase(played, column) {
  const place = makePlace();
  try {
    const agent = writeAgent(place, played.name);
    column.prepare(place);
    commitProject(place);
    const { code, isCut, ms, output } = await runToEnd(column.toCommand(place, agent), place);
    await wait(played.settleMs ?? SETTLE_MS);
    const left = listProcesses(place.root);
    const found = judge(place, code === 0);
    return { ...found, exitCode: code, isCut, ms, left: left.length, ...readPrompts(join(findWork(place.project), NOTES)), output };
  } finally {
    for (const pid of listProcesses(place.root)) end(pid);
    rmSync(place.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Its output goes into a file: a program that stays and holds a pipe would hold up the bench. */
function runToEnd([command, ...args], { project, home, state }) {
  const log = join(state, 'output.log');
  const fd = openSync(log, 'w');
  const startedAt = process.hrtime.bigint();
  const child = spawn(command, args, { cwd: project, env: toEnvironment(home), stdio: ['ignore', fd, fd] });
  closeSync(fd);
  return new Promise((resolve, reject) => {
    let isCut = false;
    const cut = setTimeout(() => {
      isCut = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5000).unref();
    }, CASE_MS);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(cut);
      resolve({ code, isCut, ms: Number(process.hrtime.bigint() - startedAt) / 1e6, output: readFileSync(log, 'utf8') });
    });
  });
}

function readPrompts(notes) {
  const prompts = (existsSync(notes) ? readdirSync(notes) : []).filter((name) => name.startsWith('prompt-'));
  const tokens = prompts.map((name) => countTokens(readFileSync(join(notes, name), 'utf8')));
  return { turns: prompts.length, tokens: tokens.reduce((sum, count) => sum + count, 0) };
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
