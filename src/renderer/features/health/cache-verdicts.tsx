import { loaded } from '../../components/loaded.tsx'
import { formatCount } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { FoldedCard } from './folded-card.tsx'

/** Share of cache misses for which Aspy and the API give the same reason. */
export function CacheVerdicts() {
  const query = useOperation('cache.summary', {}, { refetchMs: 60_000 })
  const { data } = query
  if (data?.vendor.compared === 0) return null
  return (
    <FoldedCard
      title="Cache causes"
      note={data && `${formatCount(data.vendor.agreed)} of ${formatCount(data.vendor.compared)} as the API says`}
    >
      {loaded({ query, look: 'line' }, (data) => (
        <p className="px-5 pb-4 text-small">
          The API and Aspy name the same cause for {formatCount(data.vendor.agreed)} of{' '}
          {formatCount(data.vendor.compared)} cache misses.
        </p>
      ))}
    </FoldedCard>
  )
}
