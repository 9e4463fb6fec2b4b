import { Link } from '@tanstack/react-router'
import { UserRound } from 'lucide-react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { formatExact, formatMoment, projectName } from '../../lib/format.ts'
import { promptText, snippetText } from '../../lib/snippet.ts'
import { toSession } from '../../lib/places.ts'

interface PromptRowProps {
  readonly prompt: Pick<Hit, 'uuid' | 'session_id' | 'session_title' | 'content' | 'timestamp' | 'project'>
  /** The stored prompts with the same whole text. */
  readonly times: number
  readonly isCurrent: boolean
}

/** One prompt, linked to its place in the session. */
export function PromptRow({ prompt, times, isCurrent }: PromptRowProps) {
  const title = visibleText(prompt.session_title ?? '')
  // Most sessions are named by their first prompt.
  const isNamed = snippetText(prompt.content).replaceAll(/\s+/g, ' ').startsWith(title.replace(/…$/, ''))
  return (
    <div
      className={`group relative flex items-start gap-3 rounded-medium border px-4 py-2.5 ${isCurrent ? 'border-accent bg-surface' : 'border-transparent hover:bg-surface'}`}
    >
      <UserRound className="mt-0.5 size-4 shrink-0 text-k-prompt" aria-hidden />
      <div className="min-w-0 flex-1">
        <Link
          {...toSession(prompt.session_id, { event: prompt.uuid })}
          className="traffic line-clamp-3 after:absolute after:inset-0"
        >
          <Snippet content={prompt.content.replaceAll(/\n\s*\n/g, '\n') || promptText('')} />
        </Link>
        <p className="mt-0.5 flex items-center gap-3 text-meta text-faint">
          {times > 1 && <Badge title="Prompts with exactly this text, in all sessions">{times} times</Badge>}
          <time className="shrink-0" dateTime={prompt.timestamp} title={formatExact(prompt.timestamp)}>
            {times > 1 && 'last '}
            {formatMoment(prompt.timestamp)}
          </time>
          <span className="max-w-40 shrink-0 truncate" title={prompt.project ?? undefined}>
            {projectName(prompt.project)}
          </span>
          {!isNamed && (
            <span className="truncate" title={title}>
              {title}
            </span>
          )}
        </p>
      </div>
      <div className="absolute top-2 right-3 z-10 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        <CopyButton
          text={snippetText(prompt.content)}
          notice="Copied the prompt"
          label="Copy prompt"
          size="small"
          look="plain"
        />
      </div>
    </div>
  )
}
