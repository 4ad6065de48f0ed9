// Say no in a consent banner.
(selector) => document.querySelector(selector)?.click()
