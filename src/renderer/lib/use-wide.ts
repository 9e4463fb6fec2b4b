import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from 'react'

/** Follows whether an element is at least `width` px wide. */
export function useIsWide(element: RefObject<HTMLElement | null>, width: number): boolean {
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= width))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, width])
  return isWide
}

/** Follows whether the window is at least `width` px wide. */
export function useIsWindowWide(width: number): boolean {
  const query = `(width >= ${width}px)`
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
