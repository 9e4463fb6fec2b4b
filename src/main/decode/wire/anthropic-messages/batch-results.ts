import { isObject, objectOf, parseJson } from '../../json-access.ts'
import { wholeMessage, type AssembledMessage } from './message-assembly.ts'

/** Message Batches API: the results of a batch, one JSON object per line. */
const RESULTS = /\/v1\/messages\/batches\/[^/]+\/results\/?$/

/** True if a path requests the results of a batch. */
export function isBatchResults(path: string): boolean {
  return RESULTS.test(path.split('?')[0] ?? '')
}

/** The answers among the results. Usage counts at batch rates, even if a result does not name its tier. */
export function batchMessages(text: string, at: number): readonly AssembledMessage[] {
  return text.split('\n').flatMap((line) => {
    const { type, message } = objectOf(objectOf(parseJson(line))['result'])
    if (type !== 'succeeded' || !isObject(message) || !Array.isArray(message['content'])) return []
    return [wholeMessage({ ...message, usage: { ...objectOf(message['usage']), service_tier: 'batch' } }, at)]
  })
}
