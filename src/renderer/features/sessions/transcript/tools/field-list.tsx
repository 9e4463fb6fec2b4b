import type { ReactNode } from 'react'
import type { Json } from '../../../../../shared/json.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { CodeBlock } from '../../../../components/code-block.tsx'
import { FirstOf } from '../../../../components/first-of.tsx'
import { JsonTree } from '../../../../components/json-tree.tsx'

/** The input of a call as names and values; lists and objects as trees. */
export function FieldList({ fields }: { readonly fields: Json }): ReactNode {
  if (typeof fields === 'string') return <CodeBlock code={fields} />
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return <JsonTree value={fields} label="Input" />
  const entries = Object.entries(fields)
  if (entries.length === 0) return null
  return (
    <FirstOf items={entries} noun="fields">
      {(shown) => (
        <dl className="my-2 grid grid-cols-[minmax(4rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 text-small max-[560px]:grid-cols-1 max-[560px]:gap-y-0">
          {shown.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="max-w-48 truncate pt-px font-mono text-meta text-faint" title={name}>
                {visibleText(name)}
              </dt>
              <dd className="min-w-0">
                <FieldValue name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </FirstOf>
  )
}

function FieldValue({ name, value }: { readonly name: string; readonly value: Json }): ReactNode {
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} label={name} />
  if (typeof value !== 'string') return <span className="font-mono text-meta">{String(value)}</span>
  return value.includes('\n') || value.length > 300 ? (
    <CodeBlock code={value} />
  ) : (
    <span className="traffic">{visibleText(value)}</span>
  )
}
