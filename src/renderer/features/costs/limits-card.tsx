import { useQuery } from '@tanstack/react-query'
import { Meter } from '../../components/meter.tsx'
import { Card } from '../../components/page.tsx'
import { formatMoment, formatShare } from '../../lib/format.ts'
import { limitsQuery } from './queries.ts'

const NAMES = { '5h': 'Five hours', '7d': 'Seven days' } as const

/** Usage of the subscription's rate limits, as last reported by the API. Renders nothing without a report. */
export function LimitsCard() {
  const { data } = useQuery(limitsQuery)
  if (!data || data.windows.length === 0) return null
  return (
    <Card title="Account limits" note={`reported by the API, ${formatMoment(data.at)}`}>
      <dl className="grid gap-x-10 gap-y-4 px-5 pb-4 min-[900px]:max-[1300px]:grid-cols-2 min-[1900px]:grid-cols-2">
        {data.windows.map(({ name, utilization, resets_at: resets }) => {
          return (
            <div key={name}>
              <dt className="flex items-baseline text-small">
                <span className="font-medium">{NAMES[name]}</span>
                <span className="ml-auto text-faint">{resets === null ? '' : `resets ${formatMoment(resets)}`}</span>
              </dt>
              <dd className="mt-1.5 flex items-center gap-3">
                <Meter label={`${NAMES[name]} used`} share={utilization} warnFrom={0.7} badFrom={0.9} />
                <span className="w-12 text-right font-semibold">{formatShare(utilization)}</span>
              </dd>
            </div>
          )
        })}
      </dl>
    </Card>
  )
}
