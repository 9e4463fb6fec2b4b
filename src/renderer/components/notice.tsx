import { CircleCheck, Info } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { currentNotice, dismiss, subscribeNotices } from '../lib/notices.ts'

/** A warning appears without user action, so it stays longer. */
const VISIBLE_MS = { good: 3200, warn: 9000 } as const
/** Time to undo. */
const UNDO_MS = 9000

/** Shows notices. Screen readers announce them. */
export function NoticeArea() {
  const notice = useSyncExternalStore(subscribeNotices, currentNotice)
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => dismiss(notice.id), notice.undo === undefined ? VISIBLE_MS[notice.tone] : UNDO_MS)
    return () => clearTimeout(timer)
  }, [notice])
  const Icon = notice?.tone === 'warn' ? Info : CircleCheck
  return (
    <div aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-12 z-50 flex justify-center">
      {notice && (
        <p className="flex items-center gap-2 rounded-full bg-ink px-4 py-2 text-small text-bg shadow-float">
          <Icon className="size-4 shrink-0" aria-hidden />
          {notice.text}
          {notice.undo !== undefined && (
            <Button
              size="small"
              className="pointer-events-auto -my-1 -mr-2 ml-1"
              onClick={() => {
                notice.undo?.()
                dismiss(notice.id)
              }}
            >
              Undo
            </Button>
          )}
        </p>
      )}
    </div>
  )
}
