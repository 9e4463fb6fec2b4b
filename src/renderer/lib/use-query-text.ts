import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

const SETTLE_MS = 110

/**
 * Keeps a search field and the address in sync. Typing updates the field at once and the address after a short pause; a
 * change of the address (back button, link) updates the field. Once another view is being opened, nothing is written,
 * since that would navigate back.
 */
export function useQueryText(
  inAddress: string | undefined,
  write: (text: string | undefined) => void,
): readonly [string, (text: string) => void] {
  const router = useRouter()
  const [text, setText] = useState(inAddress ?? '')
  const written = useRef(inAddress ?? '')
  /** Texts being written to the address, oldest first. On a slow page, one may arrive after the next was written. */
  const underWay = useRef<string[]>([])
  const latestWrite = useRef(write)
  useEffect(() => {
    latestWrite.current = write
  })
  useEffect(() => {
    const own = underWay.current.indexOf(inAddress ?? '')
    underWay.current.splice(0, own + 1)
    if (own >= 0 || (inAddress ?? '') === written.current) return
    written.current = inAddress ?? ''
    setText(inAddress ?? '')
  }, [inAddress])
  useEffect(() => {
    if (text === written.current) return
    const timer = setTimeout(() => {
      if (router.latestLocation.pathname !== router.state.resolvedLocation?.pathname) return
      written.current = text
      underWay.current.push(text)
      latestWrite.current(text === '' ? undefined : text)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text, router])
  return [text, setText]
}
