import type { Json } from '../core/index.ts';
import type { Span } from './diagnostic.ts';
import type { Path } from './located-value.ts';

/** A setting that is in force, and where it came from. */
export interface EffectiveValue {
  readonly path: Path;
  /** As people are shown it: what came from a variable is the reference, `${NAME}`. */
  readonly value: Json;
  /** As a configuration file says it: `$` doubled where it would begin a reference. */
  readonly written: Json;
  readonly origin: Origin;
}

/**
 * Where a setting came from: the table of defaults, a place in a file (also an imported one), a variable of the environment, `-c key.path=value`,
 * a flag. `name` is the variable, the assignment as it was typed, or the flag.
 */
export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly span: Span }
  | { readonly from: 'variable' | 'assignment' | 'flag'; readonly name: string };

/** `ralph.yml:4:19`, `RALPH_CONFIG_MODEL`, `-c cli.model=opus`, `--model`, `default`. */
export function toOriginText(origin: Origin): string {
  if (origin.from === 'default') return 'default';
  return origin.from === 'file' ? `${origin.span.file}:${origin.span.line}:${origin.span.column}` : origin.name;
}
