import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Environment } from '../../core/values/environment.ts';
import type { Repository, StatusEntry } from '../../git/contract.ts';
import { isOddName } from '../../git/file-names.ts';
import { demandGit } from '../../git/git.ts';
import { readGitPlaces } from '../../git/git-places.ts';
import { toIndexChange } from '../../git/trees.ts';
import { isSettled, lookAt, toVersion } from './file-version.ts';

/** Of a repository with more, git writes the trees. */
const MAX_TRACKED = 20_000;
/** A larger file is stored by git. */
const MAX_BLOB_BYTES = 8 << 20;
const TREE_MODE = '40000';
const ATTRIBUTES = '.gitattributes';
/** Where git is built to look for those of the system, as a rule. */
const SYSTEM_ATTRIBUTES = ['/etc', '/usr/etc', '/usr/local/etc', '/opt/homebrew/etc'].map((folder) => `${folder}/gitattributes`);

/** Stores what a working tree looks like, without a process. */
export interface TreeWriter {
  /**
   * Stores the tree of a commit with these files as they are now; its object id.
   *
   * @returns `null` where only git can tell how a file is stored: attributes or settings say so, or it is a large one; then nothing counts that was written
   * @throws GitProblem, the system error
   */
  readonly write: (head: string | null, entries: readonly StatusEntry[]) => Promise<string | null>;
  /** Objects that were stored may be gone. */
  readonly forget: () => void;
}

/** What stands under a name in a folder of a tree. */
interface Item {
  readonly mode: string;
  readonly id: string;
}

/** A file that was stored. `look`: empty where it may change without looking otherwise. */
interface KnownBlob {
  readonly look: string;
  readonly item: Item;
}

/** By path from the top, the top itself as `''`. */
type Folders = ReadonlyMap<string, ReadonlyMap<string, Item>>;

/**
 * Creates the writer of one repository. It writes loose objects as git does (gitformat-loose(5)): blobs byte by byte, and trees. Git is asked once for each commit that is checked out.
 *
 * @param env says where attributes of the person's own are
 */
export function createTreeWriter(repository: Repository, env: Environment): TreeWriter {
  let base: { readonly head: string; readonly folders: Folders | null } | null = null;
  const blobs = new Map<string, KnownBlob>();
  return {
    write: async (head, entries) => {
      const config = await repository.findPrograms?.();
      // Ids of 40 digits are SHA-1.
      if (config?.storesPlainly !== true || config.look === null || head?.length !== 40) return null;
      const { commonDir } = readGitPlaces(repository.top, repository.gitDir);
      const change = toIndexChange(entries);
      if ([...change.write, ...change.remove].some(isOddName) || hasAttributes(repository.top, commonDir, change.write, env)) return null;
      if (base?.head !== head) base = { head, folders: await readFolders(repository, head) };
      if (base.folders === null) return null;
      const objects = join(commonDir, 'objects');
      const made = createFolders(base.folders);
      for (const path of change.remove) made.set(path, null);
      for (const path of change.write) {
        const known = storeFile(objects, join(repository.top, path), blobs.get(path));
        if (known === null) return null;
        blobs.set(path, known);
        made.set(path, known.item);
      }
      for (const path of blobs.keys()) if (blobs.size > MAX_TRACKED) blobs.delete(path);
      return made.store(objects);
    },
    forget: () => blobs.clear(),
  };
}

/** Whether anything may say that a file is stored otherwise than byte by byte. */
function hasAttributes(top: string, commonDir: string, paths: readonly string[], env: Environment): boolean {
  // Git takes an empty variable for none.
  const config = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '', '.config');
  const folders = new Set(paths.flatMap((path) => listFolders(path)));
  return [
    ...SYSTEM_ATTRIBUTES,
    join(config, 'git', 'attributes'),
    join(commonDir, 'info', 'attributes'),
    ...[...folders].map((folder) => join(top, folder, ATTRIBUTES)),
  ].some((path) => existsSync(path));
}

/** The folders in which a path lies, the top among them. */
function listFolders(path: string): readonly string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [''] : [folder, ...listFolders(folder)];
}

/** `null` for too much. */
async function readFolders({ git }: Repository, head: string): Promise<Folders | null> {
  const folders = new Map<string, Map<string, Item>>([['', new Map()]]);
  const records = (await demandGit(git, ['ls-tree', '-r', '-t', '-z', head])).split('\0').filter((record) => record !== '');
  if (records.length > MAX_TRACKED) return null;
  for (const record of records) {
    const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(record) ?? [];
    // Attributes that are in the commit may be missing in the working tree.
    if (isOddName(path) || posix.basename(path) === ATTRIBUTES) return null;
    const isTree = mode === `0${TREE_MODE}`;
    if (isTree) folders.set(path, new Map());
    folders.get(toFolder(path))?.set(posix.basename(path), { mode: isTree ? TREE_MODE : mode, id });
  }
  return folders;
}

function toFolder(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

/** A tree that is changed. */
function createFolders(base: Folders) {
  const touched = new Map<string, Map<string, Item>>();
  const open = (folder: string): Map<string, Item> => {
    const items = touched.get(folder) ?? new Map(base.get(folder));
    touched.set(folder, items);
    return items;
  };
  return {
    /** `null`: it is not there. */
    set: (path: string, item: Item | null): void => {
      for (const folder of listFolders(path)) open(folder);
      if (base.has(path)) open(path);
      const items = open(toFolder(path));
      if (item === null) items.delete(posix.basename(path));
      else items.set(posix.basename(path), item);
    },
    /** `null`: git sees a file, and what was in a folder of that name. */
    store: (objects: string): string | null => {
      const deepestFirst = [...touched.keys()].filter((path) => path !== '').sort((one, other) => toDepth(other) - toDepth(one));
      for (const path of deepestFirst) {
        const [items, around, name] = [open(path), open(toFolder(path)), posix.basename(path)];
        // A file may have come in the place of a folder that is empty now.
        if (items.size === 0 && around.get(name)?.mode === TREE_MODE) around.delete(name);
        if (items.size > 0 && (around.get(name)?.mode ?? TREE_MODE) !== TREE_MODE) return null;
        if (items.size > 0) around.set(name, { mode: TREE_MODE, id: storeObject(objects, 'tree', toTreeBytes(items)) });
      }
      return storeObject(objects, 'tree', toTreeBytes(open('')));
    },
  };
}

function toDepth(path: string): number {
  return path.split('/').length;
}

/** As git orders them: by bytes, a folder as if its name ended in a slash. */
function toTreeBytes(items: ReadonlyMap<string, Item>): Buffer {
  const sorted = [...items]
    .map(([name, item]) => ({ name, item, key: Buffer.from(item.mode === TREE_MODE ? `${name}/` : name) }))
    .sort((one, other) => Buffer.compare(one.key, other.key));
  return Buffer.concat(sorted.flatMap(({ name, item: { mode, id } }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
}

/** `null` for what is none, or large. */
function storeFile(objects: string, path: string, known: KnownBlob | undefined): KnownBlob | null {
  const stats = lookAt(path);
  if (stats === undefined || (!stats.isFile() && !stats.isSymbolicLink()) || stats.size > MAX_BLOB_BYTES) return null;
  const look = toVersion(stats);
  // Git's clean-up may have taken what no name held.
  if (known?.look === look && existsSync(toPlace(objects, known.item.id))) return known;
  // One that was written just now may change without looking otherwise.
  const isOld = isSettled(stats);
  const bytes = stats.isFile() ? readFileSync(path) : readlinkSync(path, 'buffer');
  const plain = (stats.mode & 0o100) === 0 ? '100644' : '100755';
  const item = { mode: stats.isFile() ? plain : '120000', id: storeObject(objects, 'blob', bytes) };
  return { look: isOld ? look : '', item };
}

function toPlace(objects: string, id: string): string {
  return join(objects, id.slice(0, 2), id.slice(2));
}

/** Writes an object under its name, at once; one that is there already stays. */
function storeObject(objects: string, kind: 'blob' | 'tree', bytes: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes]);
  const id = createHash('sha1').update(whole).digest('hex');
  const place = toPlace(objects, id);
  if (existsSync(place)) return id;
  const draft = join(objects, id.slice(0, 2), `tmp_obj_${randomBytes(6).toString('hex')}`);
  mkdirSync(dirname(place), { recursive: true });
  try {
    writeFileSync(draft, deflateSync(whole, { level: 1 }), { flag: 'wx', mode: 0o444 });
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return id;
}
