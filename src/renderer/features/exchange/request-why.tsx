import type { Exchange } from '../../../shared/contract/requests.ts'
import { Sentences } from '../../components/sentences.tsx'
import { useOperation } from '../../lib/operation.ts'
import { useCacheMisses } from '../../lib/use-cache-misses.ts'
import { missSentence, needsWords, requestSentences } from './request-line.ts'

/** Says why a request failed, was slow, or missed the prompt cache. */
export function RequestWhy({ exchange }: { exchange: Exchange }) {
  const input = { session_id: exchange.session_id, limit: 500 }
  const { data } = useOperation('requests.list', input, { enabled: needsWords(exchange) })
  const [miss] = useCacheMisses(exchange.session_id).ofRequest(exchange.uuid)
  const sentences = [
    ...requestSentences(exchange, data?.items ?? []),
    ...(miss === undefined ? [] : [missSentence(exchange.uuid, miss)]),
  ]
  return sentences.length > 0 && <Sentences sentences={sentences} className="px-6 pb-3 text-body" />
}
