/** Door to `core/values`: values that everything else is made of: JSON, results, errors, hashes, total tables of a union. Imports nothing. */
export { isRalphError, RalphError, toErrorCode } from './errors.ts';
export { type Handlers, handle, ignore } from './handlers.ts';
export { toTextHash } from './hash.ts';
export {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  mapTexts,
  parseJson,
  toCanonicalJson,
  toComparablePayload,
  toPayloadText,
} from './json.ts';
export { accept, type Refusal, type Result, refuse } from './result.ts';
