import { join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import type { RunKeeper } from '../fleet/keep-run.ts';
import { type SentBundle, type SentChange, type SentStep, type SentTree, sendChanges } from '../fleet/run-records.ts';
import type { Repository } from '../git/contract.ts';
import { toLook } from '../git/file-names.ts';
import { findRepository, readHead } from '../git/repository.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Fleet } from '../ports/fleet.ts';
import type { RunFile } from '../runs/run-file.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { packWork } from '../workspace/bundle/bundle.ts';
import { readFileState } from '../workspace/bundle/file-changes.ts';
import type { Snapshot, WorkLooks } from '../workspace/checkpoint/create-workspace.ts';
import { toSentChange } from './sent-work.ts';

/** A run whose folder is sent. */
export interface SentRun {
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly fleet: Fleet;
  readonly keeper: RunKeeper;
  /** What agents noted for each other; `null`: nothing. */
  readonly readNotes: () => string | null;
}

const SHA1_DIGITS = 40;

const NO_COMMIT = 'A run on a fleet needs a git repository with a commit: workers get what was committed, and the rest on top of it.';

/** So many steps, then the whole tree again: whoever has none of it takes them one after the other. */
const MAX_STEPS = 64;
/** Of all steps together: each order holds them. */
const MAX_STEP_CHARS = 100_000;
/** A larger change is packed by git. */
const MAX_STEP_FILES = 1000;
const MAX_STEP_BYTES = 16 << 20;

/** A tree that was sent, and what the folder was like then. */
interface LastSent {
  readonly tree: string;
  readonly looks: WorkLooks | undefined;
  readonly sent: SentTree;
}

type Base = SentBundle & { readonly head: string };

/**
 * Sends trees of a run's folder, and keeps the last one for whoever goes on with the run, unless it is not to be: as a change of the one before where that is possible, which needs no process of
 * git. One that was sent just before is not sent again.
 */
export function createTreeSender(
  parts: SentRun,
  repository: () => Promise<Repository>,
): (snapshot: Snapshot, isKept: boolean) => Promise<SentTree> {
  const { keeper } = parts;
  let base: Promise<Base> | undefined;
  let last: LastSent | null = null;
  let sending: Promise<unknown> = Promise.resolve();
  const packWhole = async (tree: string, { commit: head, branch }: Awaited<ReturnType<typeof readHead>>): Promise<SentTree> => {
    const opened = await repository();
    if (head === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT });
    base ??= packBase(parts, opened, head);
    const { head: known, ...sentBase } = await base.catch((error: unknown) => {
      // Tried again with the next tree.
      base = undefined;
      throw error;
    });
    const order = { runId: parts.paths.runId, tree, head, known, file: join(parts.paths.folder, 'git', 'work.bundle') };
    const work = await packWork(opened, order);
    const sent = { blob: await parts.fleet.blobs.put(work.bundle), commit: work.commit, head, branch, tree };
    return { base: sentBase, work: sent, steps: [], scratchpad: null };
  };
  const send = async ({ tree, looks }: Snapshot, isKept: boolean): Promise<SentTree> => {
    if (tree === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT });
    const scratchpad = parts.readNotes();
    const before = last;
    const step = before === null ? null : await toStep(parts, before, { tree, looks });
    if (before === null || step === null) {
      const head = looks === undefined ? await readHead((await repository()).git) : { ...looks, commit: looks.head };
      const sent = { ...(await packWhole(tree, head)), scratchpad };
      if (!isKept) return sent;
      keeper.add({ kind: 'tree', tree: sent });
      last = { tree, looks, sent };
      return sent;
    }
    const isSame = step === 'same';
    const sent: SentTree = { ...before.sent, steps: isSame ? before.sent.steps : [...before.sent.steps, step], scratchpad };
    if (!isKept) return sent;
    if (!isSame || scratchpad !== before.sent.scratchpad)
      keeper.add({ kind: 'step', step: isSame ? { to: tree, body: { value: [] } } : step, scratchpad });
    last = { tree, looks, sent };
    return sent;
  };
  return (snapshot, isKept) => {
    const done = sending.then(() => send(snapshot, isKept));
    sending = done.catch(() => undefined);
    return done;
  };
}

/** What changed since; `null` where the whole tree has to be sent. */
async function toStep(
  { file, fleet }: SentRun,
  { tree, looks: before, sent }: LastSent,
  { tree: to, looks }: { readonly tree: string; readonly looks: WorkLooks | undefined },
): Promise<SentStep | 'same' | null> {
  if (looks === undefined || before === undefined || looks.head !== sent.work.head || looks.branch !== sent.work.branch) return null;
  if (to === tree) return 'same';
  const paths = listDiffering(before, looks);
  if (sent.steps.length >= MAX_STEPS || paths.length > MAX_STEP_FILES) return null;
  const changes: SentChange[] = [];
  let bytes = 0;
  for (const path of paths) {
    const state = readFileState(file.workspace, path);
    // Written once more since: what git stored is another content.
    const known = looks.files.get(path);
    // One of which git says nothing any more may be ignored from now on, or too large: what the tree says of it is packed.
    if (known === undefined || known.look !== toLook(join(file.workspace, path))) return null;
    bytes += state?.bytes.length ?? 0;
    if (bytes > MAX_STEP_BYTES) return null;
    changes.push(await toSentChange(fleet.blobs, path, state, false));
  }
  const step: SentStep = { to, body: await sendChanges(fleet.blobs, changes) };
  return JSON.stringify([...sent.steps, step]).length > MAX_STEP_CHARS ? null : step;
}

/** Paths of files that look different. */
export function listDiffering(one: WorkLooks, other: WorkLooks): readonly string[] {
  const paths = new Set([...one.files.keys(), ...other.files.keys()]);
  return [...paths].filter((path) => {
    const [before, after] = [one.files.get(path), other.files.get(path)];
    return before === undefined || after === undefined || before.look !== after.look;
  });
}

/**
 * Whether a folder can be worked on elsewhere.
 *
 * @throws RalphError `fleet-repository`
 */
export async function requireSendable({ file, env }: Pick<SentRun, 'file' | 'env'>): Promise<void> {
  const found = await findRepository(toRepositorySettings({ file, env }));
  const fix = 'Make one here: git init && git add . && git commit -m "The beginning"';
  if (!found.ok) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT, why: `Here git says: ${found.refused}.`, fix });
  if (found.value.prefix !== '')
    throw new RalphError({
      code: 'fleet-repository',
      what: 'A run on a fleet works in the top folder of a repository; this is a folder within one.',
      fix: `Start it there: cd ${found.value.top}`,
    });
  const { commit } = await readHead(found.value.git);
  if (commit === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT, fix });
  if (commit.length > SHA1_DIGITS)
    throw new RalphError({
      code: 'fleet-repository',
      what: 'A run on a fleet needs a repository with SHA-1; this one has SHA-256.',
      fix: 'Start it here, without --fleet.',
    });
}

function toRepositorySettings({ file, env }: Pick<SentRun, 'file' | 'env'>): Parameters<typeof findRepository>[0] {
  const { workspace, settings, gitPrograms } = file;
  return { cwd: workspace, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings), programs: gitPrograms };
}

/** Opens the repository of a run's folder, once. */
export function createOpener(parts: Pick<SentRun, 'file' | 'env'>): () => Promise<Repository> {
  let opened: Promise<Repository> | undefined;
  return () => {
    opened ??= openRepository(parts);
    return opened;
  };
}

async function openRepository(parts: Pick<SentRun, 'file' | 'env'>): Promise<Repository> {
  const found = await findRepository(toRepositorySettings(parts));
  if (!found.ok) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT, why: found.refused });
  return found.value;
}

async function packBase({ paths, fleet }: SentRun, repository: Repository, head: string): Promise<Base> {
  const order = { runId: paths.runId, tree: `${head}^{tree}`, head, known: null, file: join(paths.folder, 'git', 'base.bundle') };
  const { commit, bundle } = await packWork(repository, order);
  return { commit, head, blob: await fleet.blobs.put(bundle) };
}
