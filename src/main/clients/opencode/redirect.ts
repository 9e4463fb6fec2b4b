import { isObject, objectOf } from '../../../shared/json-fields.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { RedirectedRun, Redirection } from '../redirection.ts'

/** OpenCode's variable for settings that win over those in files (1.18.34). */
const SETTINGS = 'OPENCODE_CONFIG_CONTENT'

/** Sends OpenCode's requests to Anthropic to our proxy. Throws `bad_input` if its variable for settings is not JSON. */
export function redirectOpencode({ baseUrl, env }: RedirectedRun): Redirection {
  const settings = parsed(env[SETTINGS] || '{}')
  const provider = objectOf(settings['provider'])
  const anthropic = objectOf(provider['anthropic'])
  const options = { ...objectOf(anthropic['options']), baseURL: `${baseUrl}/v1` }
  const redirected = { ...settings, provider: { ...provider, anthropic: { ...anthropic, options } } }
  return { args: [], variables: { [SETTINGS]: JSON.stringify(redirected) }, undo: () => {} }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new AspyError('bad_input', `${SETTINGS} is not a JSON object; correct or unset it`)
}
