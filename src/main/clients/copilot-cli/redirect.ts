import { AspyError } from '../../../shared/contract/errors.ts'
import type { RedirectedRun, Redirection } from '../redirection.ts'

/**
 * Sends Copilot CLI to our proxy with its variables for a provider of one's own (1.0.102). Throws `conflict` if they
 * name a provider of another API. The person still chooses the model with `COPILOT_MODEL`.
 */
export function redirectCopilot({ baseUrl, env }: RedirectedRun): Redirection {
  const type = env['COPILOT_PROVIDER_TYPE'] ?? ''
  if (type !== '' && type !== 'anthropic')
    throw new AspyError('conflict', `COPILOT_PROVIDER_TYPE is ${type}, and Aspy records only anthropic; unset it`)
  const key = env['COPILOT_PROVIDER_API_KEY'] || env['ANTHROPIC_API_KEY']
  return {
    args: [],
    variables: {
      COPILOT_PROVIDER_BASE_URL: baseUrl,
      COPILOT_PROVIDER_TYPE: 'anthropic',
      ...(key ? { COPILOT_PROVIDER_API_KEY: key } : {}),
    },
    undo: () => {},
  }
}
