/** Faces of a run that are opened and closed while it is under way: the terminal view, the page's server with a reader, a report. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { findInTerminal } from './ralph-command.mjs';

/** A face is closed at most so long after it has shown the run. */
const MAX_STAY_MS = 1_200;
/** One that is closed at any moment, at most so long after its start: before its first picture, in the middle of it, or shortly after. */
const MAX_BLIND_MS = 900;
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 25;

/**
 * @typedef {object} WatchedRun a run as seen from outside, by its files
 * @property {string} runId
 * @property {string} folder with its journal
 * @property {() => number} inputs how many there are in the journal
 * @property {() => boolean} hasEnded
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {boolean} isBlind closed whether it has shown anything or not
 * @property {boolean} needsTerminal
 * @property {(visit: Visit) => Promise<void>} play opens it and closes it
 *
 * @typedef {object} Visit
 * @property {import('./bench.mjs').Project} project
 * @property {WatchedRun} run
 * @property {number} share how long it stays, from 0 to 1
 * @property {number} number of the visit, for names of files
 * @property {() => void} sees is called when the face has shown the run
 *
 * @typedef {object} Visited
 * @property {string} name
 * @property {[number, number]} inputs of the journal, when it was opened and when it was closed
 * @property {boolean} isWithin it was closed before the run had ended
 * @property {boolean} hasSeen it had shown the run
 */

/** @type {readonly Kind[]} */
export const KINDS = [
  toWatch('watch: q', async (view) => {
    view.press('q');
    const { exitCode } = await view.result;
    if (exitCode !== 0) throw new Error(`ralph watch was left by q: exit code ${exitCode}\n${view.said().slice(-500)}`);
  }),
  ...[false, true].flatMap((isBlind) => [
    toWatch('watch: kill -9', killView, isBlind),
    toWatch('watch: terminal closed', closeTerminal, isBlind),
    toWeb('web: kill -9', (web) => web.kill('SIGKILL'), isBlind),
  ]),
  toWeb('web: reader left, Ctrl+C', async (web, leave) => {
    leave();
    await pause(100);
    web.kill('SIGINT');
  }),
  { name: 'report', isBlind: false, needsTerminal: false, play: playReport },
  { name: 'report: kill -9', isBlind: true, needsTerminal: false, play: killReport },
];

/** @param {Kind} kind */
export const nameOf = ({ name, isBlind }) => (isBlind ? `${name}, blindly` : name);

/**
 * @param {Kind} kind
 * @param {Omit<Visit, 'sees'>} visit
 * @returns {Promise<Visited>}
 */
export async function playVisit(kind, visit) {
  const { run } = visit;
  const opened = run.inputs();
  let hasSeen = false;
  const sees = () => {
    hasSeen = true;
  };
  await kind.play({ ...visit, sees });
  return { name: nameOf(kind), inputs: [opened, run.inputs()], isWithin: !run.hasEnded(), hasSeen };
}

/**
 * @param {string} folder of a run
 * @returns {WatchedRun}
 */
export function watchFolder(folder) {
  return {
    runId: folder.split('/').at(-1) ?? '',
    folder,
    inputs: () => readFileSync(join(folder, 'journal.jsonl'), 'utf8').split('\n').length - 1,
    hasEnded: () => existsSync(join(folder, 'report.json')),
  };
}

/** A terminal in which the run has been drawn. @param {import('./ralph-command.mjs').RunningRalph} view @param {WatchedRun} run */
export async function untilDrawn(view, { runId }) {
  await until(view, `${runId} on the screen`, () => stripVTControlCharacters(view.said()).includes(runId));
}

/** The view dies, its terminal stays. @param {import('./ralph-command.mjs').RunningRalph} view */
export async function killView(view) {
  let pid = findInTerminal(view.pid);
  // The terminal may not have started it yet.
  for (const end = Date.now() + PATIENCE_MS; pid === undefined && Date.now() < end && isAtWork(view.pid); pid = findInTerminal(view.pid))
    await pause(1);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  const { exitCode } = await view.result;
  if (exitCode !== 137) throw new Error(`the view was killed by kill -9: exit code ${exitCode}\n${view.said().slice(-500)}`);
}

/** Nobody may wait for one that has ended: it has no words any more, and is still there. @param {number} pid */
function isAtWork(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** The terminal goes, and the kernel tells the view. @param {import('./ralph-command.mjs').RunningRalph} view */
export async function closeTerminal(view) {
  const pid = findInTerminal(view.pid);
  view.kill('SIGKILL');
  await view.result;
  const end = Date.now() + PATIENCE_MS;
  while (pid !== undefined && isAtWork(pid)) {
    if (Date.now() > end) throw new Error('the view outlives its terminal');
    await pause(LOOK_EVERY_MS);
  }
}

/**
 * @param {string} name
 * @param {(view: import('./ralph-command.mjs').RunningRalph) => Promise<void>} close
 * @param {boolean} [isBlind]
 * @returns {Kind}
 */
function toWatch(name, close, isBlind = false) {
  const play = async (/** @type {Visit} */ { project, run, share, sees }) => {
    const view = project.start(['watch', run.runId], { inTerminal: true, env: { TERM: 'xterm-256color' } });
    if (!isBlind) {
      await untilDrawn(view, run);
      sees();
    }
    await pause(share * (isBlind ? MAX_BLIND_MS : MAX_STAY_MS));
    await close(view);
  };
  return { name, isBlind, needsTerminal: true, play };
}

/**
 * @param {string} name
 * @param {(web: import('./ralph-command.mjs').RunningRalph, leave: () => void) => unknown} close
 * @param {boolean} [isBlind]
 * @returns {Kind}
 */
function toWeb(name, close, isBlind = false) {
  const play = async (/** @type {Visit} */ { project, run, share, sees }) => {
    const web = project.start(['web', '--port', '0']);
    const leaving = new AbortController();
    const read = readPage(web, run, leaving.signal, sees);
    if (isBlind) read.catch(() => {});
    else await read;
    await pause(share * (isBlind ? MAX_BLIND_MS : MAX_STAY_MS));
    await close(web, () => leaving.abort());
    const { exitCode, signal, stderr } = await web.result;
    leaving.abort();
    if (exitCode !== 0 && signal !== 'SIGKILL') throw new Error(`${name}: exit code ${exitCode}, ${signal}\n${stderr}`);
  };
  return { name, isBlind, needsTerminal: false, play };
}

/**
 * What the page does: swaps its code, finds the run, is told of it from then on, and looks at turns and the line of time.
 *
 * @param {import('./ralph-command.mjs').RunningRalph} web
 * @param {WatchedRun} run
 * @param {AbortSignal} signal
 * @param {() => void} sees
 */
async function readPage(web, { runId }, signal, sees) {
  await until(web, 'its address', () => web.said().includes('\n'));
  const { origin, hash } = new URL(web.said().trim());
  const ask = async (/** @type {string} */ path, /** @type {RequestInit} */ init) => {
    const answer = await fetch(`${origin}/api/${path}`, { ...init, signal });
    if (!answer.ok) throw new Error(`ralph web: ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const json = { 'Content-Type': 'application/json' };
  const session = await ask('session', { method: 'POST', headers: json, body: JSON.stringify({ code: hash.replace('#code=', '') }) });
  const headers = { Authorization: `Bearer ${(await session.json()).token}` };
  const { runs } = await (await ask('runs', { headers })).json();
  const key = runs.find((/** @type {{ runId: string }} */ row) => row.runId === runId)?.key;
  if (key === undefined) throw new Error(`ralph web does not list ${runId}`);
  const reader = (await ask(`stream?run=${key}`, { headers })).body?.getReader();
  const first = await reader?.read();
  if (!new TextDecoder().decode(first?.value).includes('event: ')) throw new Error('ralph web: no event in the stream');
  for (const path of ['frame', 'turns', 'events', 'timeline', 'picture']) await (await ask(`runs/${key}/${path}`, { headers })).text();
  sees();
  // It goes on reading until one of both ends it.
  void (async () => {
    while (reader !== undefined && !(await reader.read()).done);
  })().catch(() => {});
}

/** @param {Visit} visit */
function startReport({ project, run, number }) {
  // Beside the project: a report is no part of the work.
  const path = join(project.cwd, '..', `${run.runId}-${number}.html`);
  return { path, report: project.start(['report', run.runId, '--with-outputs', '-o', path]) };
}

/** @param {Visit} visit */
async function playReport(visit) {
  const { path, report } = startReport(visit);
  const { exitCode, stderr } = await report.result;
  const text = await readFile(path, 'utf8').catch(() => '');
  if (exitCode !== 0 || !text.includes(visit.run.runId)) throw new Error(`ralph report: exit code ${exitCode}\n${stderr}`);
  visit.sees();
}

/** @param {Visit} visit */
async function killReport(visit) {
  const { report } = startReport(visit);
  await pause(visit.share * MAX_BLIND_MS);
  report.kill('SIGKILL');
  await report.result;
}

/**
 * @param {import('./ralph-command.mjs').RunningRalph} command
 * @param {string} what
 * @param {() => boolean} look
 */
async function until(command, what, look) {
  let hasEnded = false;
  void command.result.then(() => {
    hasEnded = true;
  });
  const end = Date.now() + PATIENCE_MS;
  while (!look()) {
    if (hasEnded || Date.now() > end) {
      const { stderr, exitCode } = hasEnded ? await command.result : { stderr: '', exitCode: 'none' };
      throw new Error(`${what} did not come; exit code ${exitCode}\n${stderr}${command.said().slice(-1_000)}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}
