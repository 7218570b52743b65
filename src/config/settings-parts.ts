import type { EventContracts } from '../core/index.ts';
import type { CompiledBackends } from './compile-backends.ts';
import type { Objective } from './compile-objective.ts';
import type { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import type { ConfigFlags, Overrides } from './overrides.ts';
import type { Instructions } from './read-instructions.ts';
import type { EffectiveOf } from './setting.ts';
import type { Declared } from './settings-table.ts';

/** Everything that settings are made from; checked, without errors. */
export interface SettingsParts {
  readonly configFiles: readonly string[];
  readonly flags: ConfigFlags;
  readonly hatsOverlay: string | undefined;
  readonly assignments: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly declared: Declared;
  /** Ids under `hats:` in the order of the file; `null` without such a key. */
  readonly hatIds: readonly string[] | null;
  readonly overrides: Overrides;
  readonly backends: CompiledBackends;
  readonly instructions: Instructions;
  readonly events: EventContracts;
  readonly objective: Objective;
}

/** The settings of the loop with the defaults and the command line in place. */
export type EffectiveLoop = EffectiveOf<typeof EVENT_LOOP_KEYS>;
