import { createJsonTranslator } from '../json-translator.ts';
import type { Translator } from '../translator.ts';
import { AcpConversation, type AcpTask } from './conversation.ts';

/** Translates what an agent says over the Agent Client Protocol, and tells what has to be said to it. */
export function createAcpTranslator(task: AcpTask): Translator {
  const conversation = new AcpConversation(task);
  return { ...createJsonTranslator(conversation), dialogue: conversation };
}
