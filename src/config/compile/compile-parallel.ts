import type { RunSpec } from '../../core/run/run-spec.ts';
import { MIN_PANEL_AGENTS } from '../keys/panel-keys.ts';
import { type Declared, TOP_KEYS } from '../keys/settings-table.ts';
import { backendsOf, type CompiledBackends, findProfileName } from './compile-backends.ts';

/** How many hats work at the same time; nothing where they take turns. Under exclusive routing no event goes to several hats: then the key does nothing. */
export function compileParallel({ event_loop: loop, max_parallel: max }: Declared): Pick<RunSpec, 'maxParallel'> {
  if (loop?.parallel !== true || loop.routing !== 'fanout') return {};
  return { maxParallel: max ?? TOP_KEYS.max_parallel.default };
}

/** Whether turns of the hat may work while others do, of other hats or of itself. */
export function mayWorkInCopies(id: string, declared: Declared): boolean {
  return compileParallel(declared).maxParallel !== undefined || (declared.hats?.[id]?.parallel ?? 1) > 1;
}

/** What keeps a hat from working while others do: it is opened for the folder of the run, and copies have none of it. */
export type AloneCause = 'safe' | 'sandbox' | 'panel' | 'profile';

/** Why a hat takes its turns alone; `null` where it need not. */
export function findAloneCause(id: string, declared: Declared, backends: CompiledBackends): AloneCause | null {
  const hat = declared.hats?.[id];
  if (declared.safe === true) return 'safe';
  if ((hat?.sandbox ?? declared.sandbox?.mode) === 'required') return 'sandbox';
  if ((hat?.panel?.agents ?? []).length >= MIN_PANEL_AGENTS) return 'panel';
  // The tools of the native agent are bound wherever it works.
  const hasPrograms = backendsOf(id, backends).some(({ declared: { type } }) => type !== 'native');
  return hasPrograms && findProfileName(id, hat?.profile, backends) !== null ? 'profile' : null;
}
