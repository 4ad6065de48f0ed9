// Say no in a consent banner.
(selector) => builtin(document.querySelector(selector))?.click()
