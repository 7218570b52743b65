import { EXTERNAL, QUALITY_GATE, RALPH, SYSTEM } from '../core/index.ts';

/** What the id of a hat is made of, as a regular expression. */
export const HAT_ID_PATTERN = '^[A-Za-z0-9_-]+$';
/** The longest id of a hat, in characters. */
export const MAX_HAT_ID_LENGTH = 100;
/** Ids that mean something to the loop, or to the language, already. */
export const RESERVED_HAT_IDS: readonly string[] = [RALPH, EXTERNAL, SYSTEM, QUALITY_GATE, ...Object.getOwnPropertyNames(Object.prototype)];
