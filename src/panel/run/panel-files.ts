import { constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { DECIDED_FILES } from '../../core/panel/panel-home.ts';
import { canonicalPaths, createNameRewriter, createPathRewriter, type RewrittenRoot } from '../../core/panel/rewrite-paths.ts';
import type { PanelAnswer, ShownAnswer } from '../../core/run/panel-state.ts';
import { isJsonObject, parseJson } from '../../core/values/json.ts';
import type { ShownWork } from '../../ports/panel-rounds.ts';
import { applyWork } from '../share/apply-work.ts';
import { openWorkspace } from '../share/open-workspace.ts';
import { createViewerToken, dropOld, dropViewer, PASSED_OVER, shareSnapshot, toViewFolder } from '../share/share-snapshot.ts';
import { snapshotWork } from '../share/snapshot-work.ts';
import { toBasePath } from '../share/workspace-base.ts';
import { KnownAnswers } from './known-answers.ts';
import type { PanelFilesSettings, PanelPayload, VisibleAnswer, VisibleGates } from './panel-settings.ts';

/** Where one agent works. */
export interface AgentPlace {
  /** The name of its folder. */
  readonly token: string;
  readonly cwd: string;
  /** One folder for each of its rounds: `2.1`. */
  readonly turns: string;
}

const SNAPSHOTS = 'snapshots';

/** Whether the work behind what was handed in before is there: it stays on the machine on which it was made. */
export function hasWork(folder: string, home: string): boolean {
  return existsSync(join(folder, home, SNAPSHOTS));
}

interface Pending {
  readonly agent: number;
  readonly content: string;
  readonly path: string;
  revision: number | null;
}

/** The folders of a panel's agents, what they hand in, and how it looks to the others; new, or as a process before this one left them. */
export class PanelFiles {
  readonly #settings: PanelFilesSettings;
  readonly #top: string;
  readonly #snapshots: string;
  readonly #contents: Map<string, string>;
  readonly #gates = new Map<string, VisibleGates>();
  readonly #opened = new Map<number, Promise<AgentPlace>>();
  readonly #known = new KnownAnswers();
  readonly #pending = new Map<string, Pending>();
  readonly #viewWork = new Map<number, Promise<void>>();
  /** Replaces agents' ids by their numbers. */
  readonly toNumbers: (text: string) => string;
  readonly #tokens: Tokens;

  /** @param answers what was handed in before */
  constructor(settings: PanelFilesSettings, answers: readonly PanelAnswer[]) {
    this.#settings = settings;
    this.#top = join(settings.folder, settings.home);
    this.#snapshots = join(this.#top, SNAPSHOTS, PASSED_OVER);
    this.#contents = new Map(answers.map((answer) => [toKey(answer), answer.content]));
    const { agents } = settings.spec;
    this.#tokens = openTokens(this.#top, agents.length);
    const ids = agents.map(({ id }) => id);
    for (const answer of answers) {
      // What a process before this one had kept, and did not come to put in its place.
      const [from, to] = [join(this.#snapshots, `.${answer.call}`), this.#snapshotOf(answer)];
      if (existsSync(from) && !existsSync(to)) putInPlace(from, to);
      this.#known.add(answer.canonical, () => this.#snapshotOf(answer));
      const { check } = answer;
      if (check !== undefined && check.verdict !== 'pending')
        this.judged(answer, { isPassed: check.verdict === 'passed', text: check.text });
    }
    this.toNumbers = createNameRewriter(ids, (id) => settings.numbers[agents.findIndex((agent) => agent.id === id)] ?? 0);
  }

  /** Its workspace, made when it is first asked for. */
  open(agent: number): Promise<AgentPlace> {
    const known = this.#opened.get(agent) ?? openPlace(this.#settings, this.#placeOf(agent));
    this.#opened.set(agent, known);
    return known;
  }

  hasSession(agent: number, round: number): boolean {
    const path = join(this.#placeOf(agent).turns, `${round}.1`, 'session.jsonl');
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  nameOf(agent: number): string {
    return `agent${this.#settings.numbers[agent] ?? 0}`;
  }

  /** Puts the work behind answers where a viewer can read it, also its own: what lacks a folder would be known for it. */
  share(viewer: number, answers: readonly ShownAnswer[]): Promise<void> {
    return this.#inTurn(viewer, () => this.#share(viewer, answers));
  }

  async #share(viewer: number, answers: readonly ShownAnswer[]): Promise<void> {
    for (const answer of answers) {
      const snapshot = this.#snapshotOf(answer);
      if (existsSync(snapshot)) await shareSnapshot(snapshot, this.#viewOf(viewer), this.nameOf(answer.agent));
    }
  }

  /** The work behind answers, for whoever shows it to a viewer elsewhere. */
  toWorks(viewer: number, answers: readonly ShownAnswer[]): readonly ShownWork[] {
    const view = this.#tokens.views[viewer] ?? '';
    return answers
      .map((answer) => ({ name: this.nameOf(answer.agent), snapshot: this.#snapshotOf(answer), view }))
      .filter(({ snapshot }) => existsSync(snapshot));
  }

  /** Answers as a viewer may read them. */
  toVisible(viewer: number, answers: readonly ShownAnswer[]): readonly VisibleAnswer[] {
    const number = ({ agent }: ShownAnswer): number => this.#settings.numbers[agent] ?? 0;
    return answers
      .toSorted((one, other) => number(one) - number(other))
      .map((answer) => ({
        name: this.nameOf(answer.agent),
        content: this.#toText(viewer, answer.agent, this.#contents.get(toKey(answer)) ?? ''),
        folder: existsSync(this.#snapshotOf(answer))
          ? relative(this.#placeOf(viewer).cwd, join(this.#viewOf(viewer), this.nameOf(answer.agent)))
          : null,
        ...this.#toGates(answer),
      }));
  }

  #toGates(answer: ShownAnswer): Pick<VisibleAnswer, 'gates'> {
    const gates = this.#gates.get(toKey(answer));
    return gates === undefined ? {} : { gates };
  }

  /** The gates have judged an answer. */
  judged(answer: ShownAnswer, gates: VisibleGates): void {
    this.#gates.set(toKey(answer), gates);
  }

  /** Makes a copy of the folder of the run with the work behind an answer, and removes it again. Rejects where that work cannot be brought into it. */
  async tryOut<Result>(answer: ShownAnswer, use: (cwd: string) => Promise<Result>): Promise<Result> {
    const { workspace, links, skipped } = this.#settings;
    const place = this.#placeOf(answer.agent);
    const to = join(dirname(place.cwd), `judged-${answer.revision}`);
    const drop = async (): Promise<void> => {
      await rm(to, { recursive: true, force: true });
      await rm(toBasePath(to), { force: true });
    };
    await drop();
    try {
      await openWorkspace({ from: workspace, to, links, skipped });
      const snapshot = this.#snapshotOf(answer);
      if (existsSync(`${snapshot}${TOO_LARGE}`)) throw new Error('the work behind it is too large to be taken over');
      if (!this.#settings.mayWrite(answer.agent)) return await use(to);
      const { conflicts } = await applyWork({ base: toBasePath(place.cwd), snapshot, to, leftOut: existsSync(`${snapshot}${PARTIAL}`) });
      if (conflicts.length > 0) throw new Error(`${toSomePaths(conflicts)} changed in the folder meanwhile`);
      return await use(to);
    } finally {
      await drop().catch(() => undefined);
    }
  }

  /** Keeps the work of an agent as it is now, for what it hands in. */
  async snapshot(agent: number, call: string, content: string): Promise<void> {
    const path = join(this.#snapshots, `.${call}`);
    await rm(path, { recursive: true, force: true });
    const { cwd } = await this.open(agent);
    const { leftOut: isPartial, isTooLarge } = await snapshotWork(cwd, path);
    if (isPartial) await writeFile(`${path}${PARTIAL}`, '');
    if (isTooLarge) await writeFile(`${path}${TOO_LARGE}`, '');
    this.#pending.set(call, { agent, content, path, revision: null });
  }

  /** What was handed in was taken as a revision. */
  took(agent: number, revision: number, call: string): void {
    const entry = this.#pending.get(call);
    if (entry === undefined) return;
    entry.revision = revision;
    this.#contents.set(toKey({ agent, revision }), entry.content);
    // At once: the next agent told of it must find it there. If that fails, the answer is known without its work.
    try {
      putInPlace(entry.path, this.#snapshotOf({ agent, revision }));
    } catch {
      entry.revision = null;
    }
  }

  /** Removes the snapshot of what was not taken. */
  async settle(call: string): Promise<void> {
    const entry = this.#pending.get(call);
    this.#pending.delete(call);
    if (entry === undefined || entry.revision !== null) return;
    for (const mark of ['', PARTIAL, TOO_LARGE]) await rm(`${entry.path}${mark}`, { recursive: true, force: true });
  }

  /** What is compared to tell whether an answer, kept for a call, is the same as another. */
  toCanonical(agent: number, call: string, text: string): Promise<string> {
    const entry = this.#pending.get(call);
    const work = (): string => (entry?.revision == null ? (entry?.path ?? '') : this.#snapshotOf({ agent, revision: entry.revision }));
    return this.#known.toCanonical(canonicalPaths(text, [this.#placeOf(agent).cwd]), work);
  }

  /**
   * Brings the work behind an answer into the folder of the run.
   *
   * @param takingOver called right before
   */
  async apply(winner: ShownAnswer, takingOver: () => Promise<void>): Promise<TakeOver> {
    const snapshot = this.#snapshotOf(winner);
    // A process before this one may have done it, and died before the turn had ended.
    const mark = join(this.#top, 'taken-over');
    if (existsSync(mark) || !this.#settings.mayWrite(winner.agent)) return { kind: 'done' };
    if (existsSync(`${snapshot}${TOO_LARGE}`))
      return toFailed(`the work of the panel is too large to be taken over; it is kept in ${this.#placeOf(winner.agent).cwd}`);
    if (!existsSync(snapshot)) return toFailed('the work behind the answer that won is not there any more');
    const base = toBasePath(this.#placeOf(winner.agent).cwd);
    const leftOut = existsSync(`${snapshot}${PARTIAL}`);
    await takingOver();
    const { conflicts } = await applyWork({ base, snapshot, to: this.#settings.workspace, leftOut });
    if (conflicts.length > 0) return { kind: 'conflict', conflicts, kept: await this.#layOut(snapshot) };
    await writeFile(mark, '');
    return { kind: 'done' };
  }

  /** Work that cannot be taken over, where every hat can read it: a sandbox hides the folder for state. */
  async #layOut(snapshot: string): Promise<string> {
    const path = join('.agent', PASSED_OVER, `panel-${this.#settings.home}`);
    const to = join(this.#settings.workspace, path);
    await rm(to, { recursive: true, force: true });
    await mkdir(dirname(to), { recursive: true });
    await cp(snapshot, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    return path;
  }

  /** An answer for whoever works in the folder of the run. */
  toFinal(agent: number, content: string): string {
    const { workspace } = this.#settings;
    const views = this.#others(agent).map((other) => ({ path: this.#seenBy(agent, other), shown: workspace }));
    return createPathRewriter({ roots: [{ path: this.#placeOf(agent).cwd, shown: workspace }, ...views] })(content);
  }

  /** Writes down what came of the panel. */
  async keep(payload: PanelPayload): Promise<void> {
    await mkdir(this.#top, { recursive: true });
    await writeFile(join(this.#top, DECIDED_FILES.answer), `${payload.answer}\n`);
    await writeFile(join(this.#top, DECIDED_FILES.votes), `${JSON.stringify(payload.votes, null, 2)}\n`);
  }

  /** Removes what was shown before something newer was: nothing of a round reads it any more. */
  endRound(agent: number): Promise<void> {
    return this.#inTurn(agent, () => dropOld(this.#viewOf(agent)));
  }

  /** Removes what was shown: read-only folders are in the way of whoever cleans up. */
  async close(): Promise<void> {
    for (const agent of this.#settings.spec.agents.keys()) await this.#inTurn(agent, () => dropViewer(this.#viewOf(agent)));
  }

  /** Removes the folders in which the agents worked; what they handed in, and the records of their rounds, stay. */
  async clear(): Promise<void> {
    await this.close();
    for (const agent of this.#settings.spec.agents.keys()) {
      const { cwd } = this.#placeOf(agent);
      await rm(cwd, { recursive: true, force: true });
      await rm(toBasePath(cwd), { force: true });
    }
  }

  /** Work on a viewer's folder of the others is done one at a time. */
  #inTurn(viewer: number, work: () => Promise<void>): Promise<void> {
    const before = this.#viewWork.get(viewer) ?? Promise.resolve();
    const next = before.then(work, work);
    this.#viewWork.set(
      viewer,
      next.catch(() => undefined),
    );
    return next;
  }

  /** A text of one agent as another may read it: with the paths that lie behind it there, and with numbers for names. */
  #toText(viewer: number, author: number, text: string): string {
    const roots: readonly RewrittenRoot[] = [
      ...this.#others(viewer).map((other) => ({ path: this.#placeOf(other).cwd, shown: this.#seenBy(viewer, other) })),
      // What the author was shown of others.
      ...(author === viewer
        ? []
        : this.#others(author).map((other) => ({ path: this.#seenBy(author, other), shown: this.#seenBy(viewer, other) }))),
    ];
    return this.toNumbers(createPathRewriter({ roots })(text));
  }

  /** Where an agent finds the work of another; of itself, its own folder. */
  #seenBy(viewer: number, agent: number): string {
    return agent === viewer ? this.#placeOf(viewer).cwd : join(this.#viewOf(viewer), this.nameOf(agent));
  }

  #placeOf(agent: number): AgentPlace {
    const token = this.#tokens.places[agent] ?? 'none';
    const own = join(this.#top, token);
    return { token, cwd: join(own, 'work'), turns: join(own, 'turns') };
  }

  #viewOf(agent: number): string {
    return toViewFolder(this.#placeOf(agent).cwd, this.#tokens.views[agent] ?? '');
  }

  #snapshotOf(answer: ShownAnswer): string {
    return join(this.#snapshots, `${this.nameOf(answer.agent)}.${answer.revision}`);
  }

  #others(agent: number): readonly number[] {
    return this.#settings.spec.agents.flatMap((_, other) => (other === agent ? [] : [other]));
  }
}

/** Marks beside a snapshot: something could not be read, so it may be missing; the work was too large to keep whole. */
const [PARTIAL, TOO_LARGE] = ['.partial', '.too-large'];

/** Gives a snapshot its place, with what stands beside it. The marks go first: without them, what it lacks would seem to have been removed. */
function putInPlace(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  for (const mark of [PARTIAL, TOO_LARGE]) if (existsSync(`${from}${mark}`)) writeFileSync(`${to}${mark}`, '');
  renameSync(from, to);
  for (const mark of [PARTIAL, TOO_LARGE]) rmSync(`${from}${mark}`, { force: true });
}

/** The outcome of applying work: done; a conflict, so nothing was applied and the work is kept; or failed. */
export type TakeOver =
  | { readonly kind: 'done' }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[]; readonly kept: string }
  | { readonly kind: 'failed'; readonly why: string };

function toFailed(why: string): TakeOver {
  return { kind: 'failed', why };
}

/** The first of some paths, for a sentence. */
export function toSomePaths(paths: readonly string[]): string {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return `${paths.slice(0, 5).join(', ')}${more}`;
}

async function openPlace({ workspace, links, skipped }: PanelFilesSettings, place: AgentPlace): Promise<AgentPlace> {
  await mkdir(place.turns, { recursive: true });
  await openWorkspace({ from: workspace, to: place.cwd, links, skipped });
  return place;
}

function toKey({ agent, revision }: ShownAnswer): string {
  return `${agent}.${revision}`;
}

/** Random folder names by agent: where it works, and where it sees the work of others. */
interface Tokens {
  readonly places: readonly string[];
  readonly views: readonly string[];
}

/** Made once, and kept for a process that continues the panel. */
function openTokens(top: string, agents: number): Tokens {
  const path = join(top, 'folders.json');
  const known = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined;
  if (isTokens(known, agents)) return known;
  const make = (): readonly string[] => Array.from({ length: agents }, createViewerToken);
  const made = { places: make(), views: make() };
  mkdirSync(top, { recursive: true });
  writeFileSync(path, JSON.stringify(made), { mode: 0o600 });
  return made;
}

function isTokens(value: unknown, agents: number): value is Tokens {
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.length === agents && list.every((token) => typeof token === 'string' && /^[0-9a-f]{16}$/.test(token));
  return isJsonObject(value) && isList(value['places']) && isList(value['views']);
}
