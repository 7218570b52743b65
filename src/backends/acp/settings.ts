import type { JsonObject } from '../../core/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';

/** A request that sets a session up, and what it is for. */
export interface SessionSetting {
  readonly method: 'session/set_mode' | 'session/set_model' | 'session/set_config_option';
  readonly params: JsonObject;
  readonly what: string;
}

/** Names under which agents offer a mode in which nobody is asked. */
const BYPASS_MODES = ['full-access', 'agent-full-access', 'bypassPermissions', 'yolo'];

/** What has to be set in a new session: the mode in which nobody is asked, where the agent offers one, and the model. */
export function planSettings(
  session: JsonObject,
  wishes: { readonly isBypass: boolean; readonly model?: string | undefined },
): readonly SessionSetting[] {
  const mode = wishes.isBypass ? planMode(session) : [];
  return wishes.model === undefined ? mode : [...mode, planModel(session, wishes.model)];
}

function planMode(session: JsonObject): readonly SessionSetting[] {
  const sessionId = textAt(session, 'sessionId');
  const modes = objectAt(session, 'modes');
  const modeId = BYPASS_MODES.find((id) => listAt(modes, 'availableModes').some((mode) => textAt(mode, 'id') === id));
  if (modeId !== undefined) {
    return textAt(modes, 'currentModeId') === modeId
      ? []
      : [{ method: 'session/set_mode', params: { sessionId, modeId }, what: `the mode ${modeId}` }];
  }
  const option = findOption(session, 'mode');
  const value = BYPASS_MODES.find((id) => listAt(option, 'options').some((entry) => textAt(entry, 'value') === id));
  if (value === undefined || textAt(option, 'currentValue') === value) return [];
  return [{ method: 'session/set_config_option', params: { sessionId, configId: textAt(option, 'id'), value }, what: `the mode ${value}` }];
}

function planModel(session: JsonObject, model: string): SessionSetting {
  const sessionId = textAt(session, 'sessionId');
  const option = findOption(session, 'model');
  if (textAt(option, 'id') !== '') {
    return {
      method: 'session/set_config_option',
      params: { sessionId, configId: textAt(option, 'id'), value: model },
      what: `the model ${model}`,
    };
  }
  return { method: 'session/set_model', params: { sessionId, modelId: model }, what: `the model ${model}` };
}

function findOption(session: JsonObject, category: string): JsonObject {
  const index = listAt(session, 'configOptions').findIndex((option) => textAt(option, 'category') === category);
  const found = listAt(session, 'configOptions')[index];
  return objectAt({ found: found ?? null }, 'found');
}
