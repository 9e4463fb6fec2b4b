import type { ReactNode } from 'react'
import { ADDRESSES, FILES, GATEWAYS, SEEN } from '../../../shared/data-inventory.ts'
import { useOperation } from '../../lib/operation.ts'
import { FoldedCard } from './folded-card.tsx'

/** Lists what passes through Aspy, the addresses that it may connect to, and the files that it keeps. */
export function DataCard(): ReactNode {
  const { data } = useOperation('config.get', {})
  const gateways = useOperation('health.get', {}).data?.gateways ?? []
  const valueOf = (key: string): string => {
    const value = data?.items.find((item) => item.key === key)?.value
    if (value === '' || value === undefined || value === null) return `${key}: off`
    return typeof value === 'object' ? Object.values(value).join(', ') : String(value)
  }
  return (
    <FoldedCard title="What Aspy sees, stores and sends" note="every address, file and key" isLong>
      <div className="flex flex-col gap-4 px-5 pb-4 text-small">
        <Lines title="Sees" lines={SEEN.map((line) => [line, ''])} />
        <Lines
          title="Sends"
          lines={ADDRESSES.map((address) => {
            const { setting, named = '', sends, when } = address
            const to = address === GATEWAYS && gateways.length > 0 ? gateways.join(', ') : named
            return [
              setting === null ? to : valueOf(setting),
              `${sends}; when ${when}${setting === null ? '' : ` (${setting})`}`,
            ]
          })}
        />
        <Lines
          title="Stores, readable by you only"
          lines={FILES.map(({ names, content, isKey }) => [
            names.join(', '),
            `${content}${isKey === true ? ' · a key' : ''}`,
          ])}
        />
      </div>
    </FoldedCard>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3 className="font-semibold">{title}</h3>
      <ul>
        {lines.map(([name, about]) => (
          <li key={name + about} className="py-1">
            <span className={about === '' ? '' : 'font-mono text-meta wrap-anywhere'}>{name}</span>
            {about !== '' && <span className="block text-soft">{about.replaceAll('`', '')}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
