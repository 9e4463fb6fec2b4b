import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { formatMoment } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { snippetText } from '../../../lib/snippet.ts'
import { outlineQuery } from '../queries.ts'

interface PromptOutlineProps {
  readonly sessionId: string
  readonly current: string | undefined
  readonly onOpen: (uuid: string) => void
}

/** The prompts of a session, to jump to; j and k walk them. */
export function PromptOutline({ sessionId, current, onOpen }: PromptOutlineProps) {
  const { data } = useQuery(outlineQuery(sessionId))
  const prompts = data?.items ?? []
  const position = prompts.findIndex((prompt) => prompt.uuid === current)
  const move = (by: number) => {
    const next = prompts[Math.max(0, Math.min(prompts.length - 1, position + by))]
    if (next) onOpen(next.uuid)
  }
  const scroller = useRef<HTMLElement>(null)
  const virtualizer = useVirtualizer({
    count: prompts.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 54,
    getItemKey: (index) => prompts[index]?.uuid ?? index,
    overscan: 8,
  })
  useEffect(() => {
    if (position >= 0) virtualizer.scrollToIndex(position, { align: 'auto' })
  }, [virtualizer, position])
  useHotkeys({ j: () => move(1), k: () => move(-1) })
  return (
    <nav
      ref={scroller}
      aria-label="Prompts of this session"
      className="hidden w-60 shrink-0 flex-col overflow-y-auto border-r px-3 py-3 min-[1240px]:flex min-[2000px]:w-80"
    >
      <h2 className="label px-2 pb-2">Prompts</h2>
      <ol className="relative shrink-0" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const prompt = prompts[item.index]
          return (
            prompt && (
              <li
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0 pb-0.5"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <button
                  type="button"
                  onClick={() => onOpen(prompt.uuid)}
                  aria-current={prompt.uuid === current ? 'true' : undefined}
                  title={formatMoment(prompt.timestamp)}
                  className={`bar flex w-full gap-2.5 rounded-small px-2 py-1.5 text-left text-small ${
                    prompt.uuid === current ? 'bg-accent-soft text-accent' : 'text-soft hover:bg-hover hover:text-ink'
                  }`}
                >
                  <span className="min-w-5 shrink-0 text-right text-faint">
                    {prompt.prompt_number ?? item.index + 1}
                  </span>
                  <span className="line-clamp-2 min-w-0 wrap-anywhere">{snippetText(prompt.content)}</span>
                </button>
              </li>
            )
          )
        })}
      </ol>
    </nav>
  )
}
