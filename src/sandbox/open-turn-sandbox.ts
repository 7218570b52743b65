import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findCli } from '../backends/clis.ts';
import type { AttachedSettings, ScopeFile } from '../backends/describe/scope-plan.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { isWithin } from '../core/text/is-within.ts';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Program, TurnScope } from '../ports/program.ts';
import { removeTree } from '../process/remove-tree.ts';
import { carryLogins, noteLogins } from './carry-logins.ts';
import { createConfine } from './create-confine.ts';
import { createSettingsKeeper } from './keep-settings.ts';
import { planOpenScope, planScope } from './plan-scope.ts';
import { closeScratch, openScratch } from './scratch.ts';
import { type HomePlan, linkFolders, mergeSettings, type OpenedHome, openHome, planHome, toHomeOwner } from './turn-home.ts';
import {
  hasView,
  type OsSandboxSearch,
  type ScratchFolders,
  type TurnSandboxes,
  type TurnSandboxOrder,
  type TurnSandboxSettings,
} from './turn-sandbox.ts';
import { createView, findViewKind, type ViewKind, type ViewPlace } from './workspace-view.ts';

export function createTurnSandboxes(settings: TurnSandboxSettings): TurnSandboxes {
  const kinds = new Map<boolean, Promise<ViewKind>>();
  const keeper = createSettingsKeeper();
  return {
    open: async (order) => {
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
      const owner = isConfined || mayChangeTree(order.may) ? null : findCli(toHomeOwner(order.cli, order.command));
      const putBack = owner === null ? null : keeper.keep(owner, order.cwd);
      const around = isConfined && home !== null ? { settings, order, folder, scratch, ...home } : null;
      const confineView = (program: Program, view: string): Program => (around === null ? program : createConfine(around, view)(program));
      return {
        scope: {
          ...scope,
          ...(around === null ? {} : { confine: createConfine(around) }),
          ...(kind === undefined ? {} : { view: createView(kind, place, confineView) }),
        },
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

function toViewPlace(settings: TurnSandboxSettings, { isolation }: TurnSandboxOrder, own: string, isConfined: boolean): ViewPlace {
  const { workspace, stateDir, os } = settings;
  return { workspace: realpathSync(workspace), stateDir, own, isolation, os: isConfined ? os : NO_SANDBOX };
}

const NO_SANDBOX: OsSandboxSearch = { found: null, why: 'it is switched off' };

/** For a hat that may write: it needs no folders of this kind. */
const NO_SCRATCH: ScratchFolders = { folders: [], made: [] };

interface MadeHome {
  readonly home: { readonly from: string; readonly path: string };
  readonly plan: HomePlan;
  readonly opened: OpenedHome;
}

/** Makes a home of the turn's own, with what the CLI needs of the user's. */
function makeHome(settings: TurnSandboxSettings, order: TurnSandboxOrder, folder: string, merged: readonly AttachedSettings[]): MadeHome {
  const outer = order.env['HOME'] ?? '/nonexistent';
  const plan = planHome(findCli(toHomeOwner(order.cli, order.command)), outer, order.env);
  const path = outer === settings.workspace || !outer.startsWith('/') ? '/tmp/home' : outer;
  const from = join(folder, 'home');
  const opened = openHome(plan, from, path);
  for (const one of merged) mergeSettings(from, one);
  noteLogins(folder, opened.logins);
  mkdirSync(join(folder, 'tmp', 'ralph'), { recursive: true, mode: 0o700 });
  return { home: { from, path }, plan, opened };
}

/** Variables that move the home of the CLI alone, where no sandbox is: programs that it starts keep the user's home. */
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
