# ---- how cells are read: by the rules of the public schema, each cell alone ----------------------

.white <- "^[ \t\n\r\v\f]+|[ \t\n\r\v\f]+$"
.digits <- "^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
.words <- c("true" = 1, "false" = 0, "inf" = Inf, "+inf" = Inf, "-inf" = -Inf,
            "infinity" = Inf, "+infinity" = Inf, "-infinity" = -Inf)

.number <- function(texts) {
  # The numeric value of each text, or NA.
  found <- unname(.words[tolower(texts)])
  digits <- !is.na(texts) & grepl(.digits, texts, perl = TRUE)
  found[digits] <- as.numeric(texts[digits])
  as.numeric(found)
}

.written <- function(numbers) {
  # Numbers as texts: whole numbers without a decimal point.
  texts <- as.character(numbers)
  whole <- is.finite(numbers) & numbers == floor(numbers)
  texts[whole] <- sprintf("%.0f", numbers[whole])
  texts[is.infinite(numbers)] <- tolower(texts[is.infinite(numbers)])
  texts[is.na(numbers)] <- NA
  texts
}

.pointed <- function(texts) {
  # Texts with their decimal comma as a point; those with a point are then no numbers.
  number <- "^[+-]?(?:[0-9]+%[0-9]*|%[0-9]+)(?:[eE][+-]?[0-9]+)?$"
  comma <- grepl(gsub("%", ",", number), texts, perl = TRUE)
  point <- grepl(gsub("%", "\\\\.", number), texts, perl = TRUE)
  texts[comma] <- sub(",", ".", texts[comma], fixed = TRUE)
  texts[point] <- sub(".", ",", texts[point], fixed = TRUE)
  texts
}

.cells <- function(column, comma = FALSE) {
  # The text and the number of each cell.
  if (is.factor(column)) column <- as.character(column)
  if (is.logical(column)) column <- c("false", "true")[column + 1]
  if (is.numeric(column)) {
    column <- as.numeric(column)
    column[is.nan(column)] <- NA
    return(list(text = .written(column), number = column))
  }
  texts <- gsub(.white, "", as.character(column), perl = TRUE)
  texts[!is.na(texts) & texts == ""] <- NA
  if (comma) texts <- .pointed(texts)
  list(text = texts, number = .number(texts))
}

.one_of <- function(cells, texts) {
  # The place among some texts, by text or by value; NA for none.
  found <- match(cells$text, texts)
  lower <- tolower(cells$text)
  again <- is.na(found) & lower %in% c("true", "false")
  found[again] <- match(lower[again], texts)
  values <- .number(texts)
  order <- order(texts != .written(values))  # the usual way to write a number first
  beyond <- is.infinite(cells$number) & grepl("[0-9]", cells$text)  # 1e400 is not "inf"
  again <- is.na(found) & !is.na(cells$number) & !beyond
  found[again] <- order[match(cells$number[again], values[order])]
  found[is.na(cells$text)] <- NA
  found
}

.read <- function(data) {
  # The columns that the model asks for.
  read <- list()
  for (name in names(MODEL$columns)) {
    if (!name %in% names(data)) stop("The data frame has no column ", sQuote(name, FALSE), ".")
    asked <- MODEL$columns[[name]]
    cells <- .cells(data[[name]], isTRUE(asked$comma))
    if (length(asked$missing)) {
      gone <- !is.na(.one_of(cells, asked$missing))
      cells$text[gone] <- NA
      cells$number[gone] <- NA
    }
    if (!is.null(asked$categories)) {
      place <- if (asked$by_value) .one_of(cells, asked$categories)
               else match(cells$text, asked$categories)
      cells$category <- asked$categories[place]
    }
    read[[name]] <- cells
  }
  read
}

.yes <- function(read, test) {
  cells <- read[[test[[1]]]]
  holds <- switch(test[[2]],
    "is" = cells$category == test[[3]],
    ">=" = cells$number >= test[[3]],
    "<" = cells$number < test[[3]])
  !is.na(holds) & holds
}

# ---- the model -----------------------------------------------------------------------------------

.leaf <- function(read, tree, rows) {
  # The number of the leaf that each row comes to.
  if (!is.list(tree)) return(rep(tree, rows))
  ifelse(.yes(read, tree), .leaf(read, tree[[4]], rows), .leaf(read, tree[[5]], rows))
}

.votes <- function(read, rows) {
  votes <- matrix(MODEL$start, rows, length(MODEL$start), byrow = TRUE)
  if (!is.null(MODEL$points)) {
    total <- 0 * votes
    for (column in MODEL$points$columns) {
      place <- rep(1, rows)
      for (i in rev(seq_along(column$tests)))
        place[.yes(read, column$tests[[i]])] <- i + 1
      total <- total + column$points[place, , drop = FALSE]
    }
    total <- pmin(pmax(total, -MODEL$points$limit), MODEL$points$limit)
    whole <- 2 * (sweep(total, 2, MODEL$points$base, "+")) + MODEL$points$each
    votes <- votes + MODEL$points$grain * (whole %/% (2 * MODEL$points$each))
  }
  for (entry in MODEL$trees) {
    at <- cbind(seq_len(rows), .leaf(read, entry[[2]], rows) + 1)
    votes[at] <- votes[at] + entry[[1]]
  }
  votes
}

.chances <- function(votes) {
  # The probabilities of several labels.
  odds <- exp(MODEL$step * (votes - apply(votes, 1, max)))
  shares <- odds / rowSums(odds)
  if (!MODEL$linked) return(shares)
  parts <- matrix(1, nrow(shares), ncol(shares))
  labels <- seq_len(ncol(shares))
  for (turn in labels[-1]) {
    lost <- vapply(labels, function(label) rowSums(parts * pmax(shares - shares[, label], 0)),
                   numeric(nrow(shares)))
    parts <- 1 - matrix(lost, nrow(shares))
  }
  parts / rowSums(parts)
}

.sum <- function(read, rows, period) {
  total <- rep(MODEL$start[period], rows)
  for (entry in MODEL$trees[[period]])
    total <- total + entry[[1]] * (2 * .leaf(read, entry[[2]], rows) - 1)
  pmin(pmax(total, MODEL$limits[1]), MODEL$limits[2])
}

score <- function(data) {
  read <- .read(data)
  rows <- nrow(data)
  if (MODEL$kind == "labels") {
    votes <- .votes(read, rows)
    most <- max.col(votes, ties.method = "first")
    found <- data.frame(label = MODEL$labels[most], stringsAsFactors = FALSE)
    if (!is.null(MODEL$probabilities)) {
      margin <- votes[, 2] - votes[, 1]
      found$probability <- MODEL$probabilities[(margin - MODEL$first) / 2 + 1]
    } else if (!is.null(MODEL$step)) {
      chances <- as.data.frame(.chances(votes))
      names(chances) <- paste("probability of", MODEL$labels)
      found <- cbind(found, chances)
    }
    return(found)
  }
  if (MODEL$kind == "time") {
    risk <- 0
    found <- list()
    for (period in seq_along(MODEL$ends)) {
      power <- exp(.sum(read, rows, period) / MODEL$parts)
      risk <- risk + log1p(pmin(1, 2 / (1 + 1 / power)) * pmax(1, (1 + power) / 2))
      found[[paste("survival at", MODEL$ends[period])]] <- exp(-risk)
    }
    return(cbind(data.frame(prediction = risk), as.data.frame(found, check.names = FALSE)))
  }
  total <- .sum(read, rows, 1)
  worth <- if (MODEL$kind == "linear") total else exp(total / MODEL$parts)
  found <- data.frame(prediction = MODEL$low + worth * MODEL$unit)
  if (!is.null(MODEL$width)) {
    middle <- if (MODEL$kind == "linear") total else round(MODEL$parts * worth)
    cells <- function(far) pmin(pmax(middle + far, 0), MODEL$scale[3])
    found$low <- MODEL$scale[1] + cells(-MODEL$width) * MODEL$scale[2]
    found$high <- MODEL$scale[1] + cells(MODEL$width) * MODEL$scale[2]
  }
  found
}
