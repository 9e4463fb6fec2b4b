import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { loaded } from '../../components/loaded.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { causeLabel, causeNote } from '../../../shared/cache-causes.ts'
import { ChangedBlock } from './changed-block.tsx'
import { useOperation } from '../../lib/operation.ts'
import { toExchange } from '../../lib/places.ts'

/** Differences between a request and the previous one of its conversation: parameters, then blocks. */
export function RequestChanges({ uuid }: { uuid: string }) {
  const query = useOperation('requests.diff', { uuid })
  return loaded({ query, label: 'Loading changes' }, (data) => (
    <ScrollRegion label="Changes" className="min-h-0 flex-1 px-6 pt-3 pb-8">
      <div className="mx-auto flex max-w-[80rem] flex-col gap-2">
        {data.cause !== null && (
          <p className="flex flex-wrap items-center gap-2 text-small">
            <Badge tone={data.cause.kind === 'first_request' ? 'plain' : 'warn'}>{causeLabel(data.cause.kind)}</Badge>
            <span className="min-w-0 wrap-anywhere text-soft">{causeNote(data.cause)}</span>
          </p>
        )}
        {data.against === null ? (
          <p className="pt-10 text-center text-soft">No earlier request in this conversation to compare with.</p>
        ) : (
          <p className="text-meta text-faint">
            Compared with the{' '}
            <Link {...toExchange(data.against, {})} className="text-accent underline">
              request before
            </Link>
          </p>
        )}
        {data.parameters.length > 0 && <Parameters parameters={data.parameters} />}
        {data.items.map((item, index) => (
          <ChangedBlock key={index} item={item} />
        ))}
        {data.partial && <p className="text-meta text-warn">There are more changes. Only the first ones are shown.</p>}
      </div>
    </ScrollRegion>
  ))
}

interface ParametersProps {
  readonly parameters: readonly {
    readonly name: string
    readonly before: string | null
    readonly after: string | null
  }[]
}

function Parameters({ parameters }: ParametersProps) {
  return (
    <section aria-label="Changed parameters" className="rounded-medium border bg-surface px-4 py-2.5">
      <h2 className="text-small font-semibold">Parameters</h2>
      <dl className="mt-1 text-meta">
        {parameters.map(({ name, before, after }) => (
          <div key={name} className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3 py-1">
            <dt className="text-soft">{name}</dt>
            <dd className="traffic font-mono">
              <del className="bg-bad-soft no-underline">{before ?? 'none'}</del> →{' '}
              <ins className="bg-good-soft no-underline">{after ?? 'none'}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
