import type { JsonObject } from '../core/values/json.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import { cleanText } from '../views/text/plain-text.ts';
import type { OrderBodies } from '../wire/orders.ts';
import type { SteeringReceipt } from '../wire/steering.ts';
import { Refused, toBadRequest } from './refused.ts';

/** What a person may order. */
export type OrderName = keyof OrderBodies;

export const ORDER_NAMES: readonly OrderName[] = ['tell', 'answer', 'stop', 'resume'];

/** Carries out orders, each once. */
export interface RunOrders {
  /** Rejects with Refused, or as the steering of the run. */
  readonly give: (key: string, run: WatchedRun, name: OrderName, body: JsonObject) => Promise<SteeringReceipt>;
}

/** So many receipts are remembered. */
const MAX_RECEIPTS = 1000;

export function createRunOrders(): RunOrders {
  const receipts = new Map<string, Promise<SteeringReceipt>>();
  return {
    give: (key, run, name, body) => {
      const command = readText(body, 'command', 100);
      if (!/^[\w-]+$/.test(command)) throw toBadRequest('"command" has letters, digits, - and _ only.');
      const id = `${key} ${name} ${command}`;
      const known = receipts.get(id);
      if (known !== undefined) return known;
      const receipt = ORDERS[name](run, body, command).then(({ text, seq }) => ({ text: cleanText(text), seq }));
      receipts.set(id, receipt);
      const [oldest] = receipts.keys();
      if (receipts.size > MAX_RECEIPTS && oldest !== undefined) receipts.delete(oldest);
      // What was refused was not carried out: it may be tried again.
      receipt.catch(() => receipts.delete(id));
      return receipt;
    },
  };
}

const ORDERS: Readonly<Record<OrderName, (run: WatchedRun, body: JsonObject, command: string) => Promise<SteeringReceipt>>> = {
  tell: async ({ steer }, body, command) => {
    const { when } = body;
    if (when !== undefined && when !== 'now' && when !== 'next') throw toBadRequest('"when" is now or next.');
    const to = body['to'] === undefined ? undefined : readText(body, 'to', 200);
    return steer.tell({
      command,
      text: readText(body, 'text', 60_000),
      ...(to !== undefined && { to }),
      ...(when !== undefined && { when }),
    });
  },
  answer: async ({ steer, history }, body, command) => {
    const { seq } = body;
    const question = readText(body, 'question', 200);
    const choice = readText(body, 'choice', 200);
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) throw toBadRequest('"seq" is the number of an input.');
    const isQuestion = ({ id }: { readonly id: string }): boolean => id === question;
    const asked = history.view().questions.find(isQuestion);
    if (asked !== undefined && !history.view(seq).questions.some(isQuestion))
      throw new Refused(409, 'web-stale', `${cleanText(question)} was asked after what was on the screen; nothing was answered.`, {
        fix: 'Read it, then answer.',
      });
    return steer.answer({ command, question, choice });
  },
  stop: async ({ steer }, body) => {
    const { how } = body;
    if (how !== 'after' && how !== 'now') throw toBadRequest('"how" is after or now.');
    return steer.stop(how);
  },
  resume: ({ steer }) => steer.resume(),
};

function readText(body: JsonObject, name: string, maxLength: number): string {
  const text = body[name];
  if (typeof text !== 'string' || text === '' || text.length > maxLength)
    throw toBadRequest(`"${name}" must be a text of 1 to ${maxLength} characters.`);
  return text;
}
