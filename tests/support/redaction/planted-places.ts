import { inPlace, plantedSecrets } from '../../../src/main/redaction/fixtures/planted-secrets.ts'

/** Over two hundred secrets of forty kinds, different ones for each place: a leaked secret shows which path leaked. */

const planted = (where: string) => plantedSecrets(where).map(({ text }) => inPlace(text))
export const oneLine = (texts: readonly string[]) => texts.filter((text) => !text.includes('\n'))

export const IN_HEADERS = oneLine(planted('headers'))
export const IN_PROMPT = oneLine(planted('prompt'))
export const IN_THINKING = planted('thinking')
export const IN_BLOCKS = planted('blocks')
export const IN_CALL = oneLine(planted('call'))
export const IN_FILE = planted('file')
export const IN_ENV = Array.from({ length: 12 }, (_, index) => `plainlooking${index}value${index * 7}word`)
export const IN_ANSWER = planted('answer')
export const BY_CLIENT = [IN_HEADERS, IN_PROMPT, IN_THINKING, IN_BLOCKS, IN_CALL, IN_FILE, IN_ENV].flat()

export const IN_ERROR = planted('error')
export const IN_RESPONSE_HEADERS = oneLine(planted('response headers')).slice(0, 20)
export const IN_BROKEN_BODY = oneLine(planted('broken body'))
export const IN_PATH = oneLine(planted('path')).slice(0, 20)
export const IN_HOOKS = planted('hooks')
export const IN_SPOOL = planted('spool')
export const ALL = [
  BY_CLIENT,
  IN_ANSWER,
  IN_ERROR,
  IN_RESPONSE_HEADERS,
  IN_BROKEN_BODY,
  IN_PATH,
  IN_HOOKS,
  IN_SPOOL,
].flat()

export const spread = (texts: readonly string[]) =>
  texts.map((text, index) => `Number ${index} is ${text} here.`).join('\n')
/** Splits a text so that each piece ends within one secret and the next piece begins there. */
export function cutOverBlocks(secrets: readonly string[]): string[] {
  const whole = spread(secrets)
  const cuts = secrets.map((secret, index) => whole.indexOf(secret) + 9 + ((index * 7) % (secret.length - 18)))
  return [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length))
}

/** Hooks with planted secrets: all known kinds and an unknown one. */
export function hooksThatTell(): object[] {
  const hook = { session_id: 'hooked', cwd: '/tmp', transcript_path: `/tmp/${oneLine(IN_HOOKS)[0]}` }
  return [
    { hook_event_name: 'UserPromptSubmit', prompt: spread(IN_HOOKS) },
    {
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_use_id: 'toolu_h',
      tool_input: { command: spread(IN_HOOKS) },
      tool_response: { stdout: spread(IN_HOOKS) },
    },
    { hook_event_name: 'PostToolUseFailure', tool_name: 'Bash', tool_use_id: 'toolu_f', error: spread(IN_HOOKS) },
    { hook_event_name: 'Stop', last_assistant_message: cutOverBlocks(IN_BLOCKS)[1] },
    { hook_event_name: 'NobodyKnowsThis', detail: { deep: [spread(IN_HOOKS)] } },
  ].map((more) => ({ ...hook, ...more }))
}
