import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AttachedSettings, findCli, type ScopeFile } from '../backends/index.ts';
import { type BackendType, type Capabilities, mayChangeTree } from '../core/index.ts';
import type { Program, TurnScope } from '../ports/index.ts';
import { removeTree } from '../process/index.ts';
import { planOpenScope } from './attach-open.ts';
import { carryLogins } from './carry-logins.ts';
import { isWithin } from './confinement.ts';
import { createConfine } from './create-confine.ts';
import { toHomeOwner } from './home-owner.ts';
import { createSettingsKeeper } from './keep-settings.ts';
import { linkFolders, mergeSettings, noteLogins, type OpenedHome, openHome } from './open-home.ts';
import type { OsSandboxSearch } from './os-sandbox.ts';
import type { OutfitOrder, OutfitterSettings } from './outfit-order.ts';
import { type HomePlan, planHome } from './plan-home.ts';
import { planScope } from './plan-scope.ts';
import type { SandboxMode } from './sandbox-settings.ts';
import { closeScratch, openScratch, type ScratchFolders } from './scratch.ts';
import { LOGINS_FILE } from './sweep-private.ts';
import { createView, findViewKind, type ViewKind, type ViewPlace } from './workspace-view.ts';

/** What an agent wears for one turn. */
export interface Outfit {
  readonly scope: TurnScope;
  /** What the flags of the CLI cannot say. */
  readonly limits: readonly string[];
  /** Whether the operating system holds the agent. */
  readonly isConfined: boolean;
  /** Folders, relative to the workspace, whose changes are no changes of the work. */
  readonly scratch: readonly string[];
  /** Takes everything back; safe to call again. Login files that were refreshed are carried to the user's own. */
  readonly close: () => void;
}

/** Dresses agents. */
export interface Outfitter {
  /**
   * Prepares a turn: plans its flags, writes its private files, opens its home. Rejects when the sandbox is required and not there, and when the
   * private folder cannot be written.
   */
  readonly dress: (order: OutfitOrder) => Promise<Outfit>;
}

/** Whether a turn is to be held by the operating system: hats that may not write, and those that ask for it. */
export function wantsConfinement(may: Capabilities, mode: SandboxMode, hatMode: SandboxMode | undefined): boolean {
  if ((hatMode ?? mode) === 'off') return false;
  return !mayChangeTree(may) || hatMode === 'required';
}

/** Creates the outfitter of one run. */
export function createOutfitter(settings: OutfitterSettings): Outfitter {
  const kinds = new Map<boolean, Promise<ViewKind>>();
  const keeper = createSettingsKeeper();
  return {
    dress: async (order) => {
      const isConfined = order.mode !== 'off' && settings.os.found !== null;
      if (order.mode === 'required' && settings.os.found === null) throw new Error(`a sandbox is required, and ${settings.os.why}`);
      const folder = join(settings.privateDir, order.turn);
      removeTree(folder);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const attach = order.attach(folder);
      const plan = order.isOpen === true ? planOpenScope({ ...order, attach }) : planScope({ ...order, folder, attach, isConfined });
      writeFiles(folder, plan.files);
      const place = toViewPlace(settings, order, folder, isConfined);
      if (hasView(order)) kinds.set(isConfined, kinds.get(isConfined) ?? findViewKind(place));
      const kind = hasView(order) ? await kinds.get(isConfined) : undefined;
      const scratch =
        mayChangeTree(order.may) || kind === 'overlay'
          ? NO_SCRATCH
          : await openScratch(settings.workspace, settings.sandbox.scratch, settings.folders);
      const merged = [...(attach?.settings === undefined ? [] : [attach.settings]), ...plan.settings];
      const home = isConfined || merged.length > 0 ? makeHome(settings, order, folder, merged) : null;
      const { args, env, permissions, prompt, limits } = plan;
      const own = isConfined || home === null ? {} : toMovedHome(home, order.cli);
      const scope: TurnScope = {
        args,
        env: { ...env, ...own },
        permissions,
        prompt,
        ...(attach?.servers !== undefined && { toolServers: attach.servers }),
      };
      const putBack = isConfined || mayChangeTree(order.may) ? null : keeper.keep(toHomeOwner(order.cli, order.command), order.cwd);
      const confine = isConfined && home !== null ? createConfine({ settings, order, folder, scratch, ...home }) : null;
      const confineView = (program: Program, view: string): Program =>
        isConfined && home !== null ? createConfine({ settings, order, folder, scratch, ...home }, view)(program) : program;
      const view = kind === undefined ? null : createView(kind, place, confineView);
      return {
        scope: { ...scope, ...(confine === null ? {} : { confine }), ...(view === null ? {} : { view }) },
        limits,
        isConfined,
        scratch: scratch.folders,
        close: () => {
          putBack?.();
          carryLogins(home?.opened.logins ?? []);
          closeScratch(settings.workspace, scratch);
          removeTree(folder);
        },
      };
    },
  };
}

/** The checks of our own agent, for a hat that may not write. */
export function hasView({ cli, may }: Pick<OutfitOrder, 'cli' | 'may'>): boolean {
  return cli === 'native' && may.mayRunQuality && !mayChangeTree(may);
}

function toViewPlace(settings: OutfitterSettings, { isolation }: OutfitOrder, own: string, isConfined: boolean): ViewPlace {
  const { workspace, stateDir, os } = settings;
  return { workspace: realpathSync(workspace), stateDir, own, isolation, os: isConfined ? os : NO_SANDBOX };
}

const NO_SANDBOX: OsSandboxSearch = { found: null, why: 'it is switched off' };

/** What a hat that may write is not held to. */
const NO_SCRATCH: ScratchFolders = { folders: [], made: [] };

interface MadeHome {
  readonly home: { readonly from: string; readonly path: string };
  readonly plan: HomePlan;
  readonly opened: OpenedHome;
}

/** A home of the turn's own, with what the CLI needs of the user's. */
function makeHome(settings: OutfitterSettings, order: OutfitOrder, folder: string, merged: readonly AttachedSettings[]): MadeHome {
  const outer = order.env['HOME'] ?? '/nonexistent';
  const plan = planHome(toHomeOwner(order.cli, order.command), outer, order.env);
  const path = outer === settings.workspace || !outer.startsWith('/') ? '/tmp/home' : outer;
  const from = join(folder, 'home');
  const opened = openHome(plan, from, path);
  for (const one of merged) mergeSettings(from, one);
  noteLogins(join(folder, LOGINS_FILE), opened.logins);
  mkdirSync(join(folder, 'tmp', 'ralph'), { recursive: true, mode: 0o700 });
  return { home: { from, path }, plan, opened };
}

/** Without a sandbox only the CLI is told of its other home: what it starts keeps the user's. */
function toMovedHome({ home, opened }: MadeHome, cli: BackendType): Readonly<Record<string, string>> {
  const moved = (findCli(cli)?.state ?? []).flatMap(({ folder, folderKey, parent, parentKey }) => {
    if (folderKey !== undefined) return [[folderKey, join(home.from, folder)] as const];
    return parent === '' && parentKey !== undefined ? [[parentKey, home.from] as const] : [];
  });
  if (moved.length > 0) linkFolders(home.from, home.path, opened.mounts);
  return Object.fromEntries(moved);
}

function writeFiles(folder: string, files: readonly ScopeFile[]): void {
  for (const { path, content } of files) {
    const file = join(folder, path);
    if (!isWithin(file, folder)) throw new Error(`a file of a turn may not lie outside of its folder: ${path}`);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
  }
}
