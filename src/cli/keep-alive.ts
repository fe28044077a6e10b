/** Keeps this process until the answer is called: waiting on the clock alone does not. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 31 - 1);
  return () => clearInterval(timer);
}
