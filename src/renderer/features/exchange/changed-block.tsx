import { useMemo } from 'react'
import type { RequestDiff } from '../../../shared/contract/cache.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Badge } from '../../components/badge.tsx'
import { diffCharacters } from '../../lib/character-diff.ts'
import type { DiffLine } from '../../../shared/line-diff.ts'
import { formatCount, plural } from '../../lib/format.ts'

type Difference = RequestDiff['items'][number]

const CHANGES = {
  equal: { label: 'equal', tone: 'plain' },
  added: { label: 'added', tone: 'good' },
  removed: { label: 'removed', tone: 'bad' },
  changed: { label: 'changed', tone: 'warn' },
  moved: { label: 'moved', tone: 'accent' },
} as const

/** One difference between two requests: equal blocks as one line, a changed block with its changed characters marked. */
export function ChangedBlock({ item }: { item: Difference }) {
  if (item.change === 'equal') {
    return (
      <p className="rounded-small bg-sunken px-4 py-1 text-meta text-soft">
        <span className="font-mono">{item.at}</span> · {plural(item.blocks, 'equal block')}
      </p>
    )
  }
  const { label, tone } = CHANGES[item.change]
  return (
    <article className="rounded-medium border bg-surface px-4 py-2.5">
      <header className="flex min-w-0 flex-wrap items-center gap-2 text-meta">
        <Badge tone={tone}>{label}</Badge>
        <span className="font-mono font-semibold wrap-anywhere">{item.at}</span>
        <span className="text-soft">{[item.kind.replaceAll('_', ' '), item.tool].filter(Boolean).join(' · ')}</span>
        {item.first_difference !== null && (
          <span className="text-faint">first difference at character {formatCount(item.first_difference + 1)}</span>
        )}
      </header>
      <BlockText item={item} />
    </article>
  )
}

function BlockText({ item: { change, before, after } }: { item: Difference }) {
  if (before === null && after === null)
    return <p className="mt-1 text-meta text-faint">The text of this block is not stored.</p>
  if (before !== null && after !== null && before !== after) return <Spans before={before} after={after} />
  if (before !== null && after !== null && change === 'changed')
    return <p className="mt-1 text-meta text-faint">The stored beginnings are equal; the change comes after them.</p>
  return (
    <p className="traffic mt-1 line-clamp-12 font-mono text-meta leading-relaxed">
      {visibleText(firstCharacters(after ?? before ?? '', SHOWN_CHARACTERS))}
    </p>
  )
}

const SHOWN_CHARACTERS = 4000
/** Characters of equal text shown on each side of a change. */
const CONTEXT = 80

function Spans({ before, after }: { before: string; after: string }) {
  const spans = useMemo(() => diffCharacters(before, after), [before, after])
  return (
    <p className="traffic mt-1 font-mono text-meta leading-relaxed">
      {spans.map((span, index) => (
        <Span key={index} span={span} isFirst={index === 0} isLast={index === spans.length - 1} />
      ))}
    </p>
  )
}

function Span({ span: { kind, text }, isFirst, isLast }: { span: DiffLine; isFirst: boolean; isLast: boolean }) {
  if (kind === 'removed') return <del className="bg-bad-soft">{visibleText(text)}</del>
  if (kind === 'added') return <ins className="bg-good-soft">{visibleText(text)}</ins>
  const [head, tail] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT]
  const hidden = text.length - head - tail
  if (hidden <= CONTEXT) return visibleText(text)
  return (
    <>
      {visibleText(firstCharacters(text, head))}
      <span className="text-faint"> ⋯ {formatCount(hidden)} equal characters ⋯ </span>
      {visibleText(tail === 0 ? '' : text.slice(-tail))}
    </>
  )
}
