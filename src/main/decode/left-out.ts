/** A part of an exchange that is not decoded. Health counts it by reason; the session shows the message. */
export interface LeftOut {
  readonly reason: 'request_too_large' | 'response_too_large' | 'decode_failed'
  readonly message: string
}
