import type { OperationOutput } from '../../shared/contract/index.ts'

/** An image as the app sends it: checked by its header, base64. */
export type SentImage = NonNullable<OperationOutput<'images.get'>['image']>

/** The longest thumbnail, as the text of its address. */
const MAX_CHARS = 64 * 1024
/** Smaller and coarser until it fits: width and height in CSS pixels, and the encoder's quality. */
const STEPS = [
  [640, 320, 0.8],
  [640, 320, 0.5],
  [320, 160, 0.6],
  [160, 80, 0.4],
] as const

let last: Promise<unknown> = Promise.resolve()

/** Decodes one image at a time, since each takes up to 160 MB while it is decoded. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work)
  last = mine.catch(() => undefined)
  return mine
}

/** Draws an image into a canvas, no larger than `width` × `height`. Only the browser's own decoder reads it. */
function drawn(image: SentImage, width: number, height: number): Promise<HTMLCanvasElement> {
  return inTurn(async () => {
    const scale = Math.min(1, width / image.width, height / image.height)
    const bytes = Uint8Array.from(atob(image.data), (letter) => letter.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: image.media_type }), {
      resizeWidth: Math.max(1, Math.round(image.width * scale)),
      resizeHeight: Math.max(1, Math.round(image.height * scale)),
      resizeQuality: 'medium',
    })
    const canvas = document.createElement('canvas')
    canvas.width = bitmap.width
    canvas.height = bitmap.height
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
    bitmap.close()
    return canvas
  })
}

/** Shrinks an image to an address of at most 64 KB that holds it. Rejects if the browser cannot decode it. */
export async function thumbnailOf(image: SentImage): Promise<string> {
  for (const [width, height, quality] of STEPS) {
    const canvas = await drawn(image, width, height)
    const address = canvas.toDataURL('image/webp', quality)
    if (address.length <= MAX_CHARS) return address
  }
  throw new Error('the image does not fit into a thumbnail')
}

/** Draws an image at up to its own size. */
export const enlarged = (image: SentImage): Promise<HTMLCanvasElement> => drawn(image, 2400, 2400)
