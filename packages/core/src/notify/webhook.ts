import { cut, oneLine } from '../adapter/words.js';
import type { Environment } from '../git/git.js';
import { effect } from '../process/effect.js';
import { formatDuration } from '../workflow/units.js';
import { type Channel, isUrl } from '../workflow/notify.js';
import { type Message, wholeText } from './message.js';
import { urlOf } from './secrets.js';

/** What came of one try. `again`: another may come to something else. */
export type Tried = 'sent' | { readonly problem: string; readonly again: boolean };

type Webhook = Extract<Channel, { type: 'webhook' }>;

/** What of an answer that is no yes is read, in bytes, and told. */
const READ_BYTES = 1_000;
const TOLD_CHARACTERS = 200;

/** Why nothing can be posted: a variable that is not set, or holds no URL; undefined where nothing is in the way. */
export function whyNoWebhook(webhook: Webhook, env: Environment): string | undefined {
  const { url, tokenFrom } = webhook;
  const names = ['from' in url ? url.from : undefined, tokenFrom];
  const missing = names.filter((name) => name !== undefined && (env[name] ?? '') === '');
  if (missing.length > 0) return `${missing.join(' and ')} not set`;
  return isUrl(urlOf(webhook, env))
    ? undefined
    : 'its URL does not begin with https:// or http://, or holds a user and a password';
}

/** Posts a message once. @param redact takes secrets out of what the other side answers */
export async function postOnce(
  webhook: Webhook,
  message: Message,
  env: Environment,
  signal: AbortSignal,
  redact: (text: string) => string,
): Promise<Tried> {
  const missing = whyNoWebhook(webhook, env);
  if (missing !== undefined) return { problem: missing, again: false };
  const limit = AbortSignal.timeout(webhook.timeoutMs);
  try {
    const response = await effect('notify.webhook', () =>
      fetch(urlOf(webhook, env) ?? '', {
        method: 'POST',
        headers: headersOf(webhook, env),
        body: JSON.stringify({ ...message, text: wholeText(message) }),
        redirect: 'manual', // a secret is for the place that was named
        signal: AbortSignal.any([signal, limit]),
      }),
    );
    const { status } = response;
    if (response.ok) {
      await response.body?.cancel();
      return 'sent';
    }
    const said = cut(redact(await beginningOf(response)), TOLD_CHARACTERS);
    const problem = `HTTP ${status}${status >= 300 && status < 400 ? ', which is not followed' : ''}`;
    return { problem: said === '' ? problem : `${problem}: ${said}`, again: mayPass(status) };
  } catch (error) {
    if (limit.aborted)
      return { problem: `no answer in ${formatDuration(webhook.timeoutMs)}`, again: true };
    return { problem: redact(wordsOf(error)), again: true };
  }
}

function headersOf({ headers, tokenFrom }: Webhook, env: Environment): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'devflow',
    ...(tokenFrom !== undefined && { authorization: `Bearer ${env[tokenFrom]}` }),
    ...headers,
  };
}

/** The other side is slow, busy or broken: that may be over in a second. Whatever else it refuses it refuses again. */
function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** An answer may be endless: only its first piece is taken. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  if (reader === undefined) return '';
  const { value } = await reader.read();
  await reader.cancel();
  return oneLine(new TextDecoder().decode(value?.subarray(0, READ_BYTES)));
}

/** fetch says only that it failed; the cause says why. */
function wordsOf(error: unknown): string {
  const { message, cause } = error as Error;
  const why = cause as { readonly message?: string; readonly code?: string } | undefined;
  return cut(oneLine(why?.message || why?.code || message), TOLD_CHARACTERS);
}
